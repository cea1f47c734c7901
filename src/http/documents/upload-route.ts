import type { Context } from 'hono';
import { lastStep, type UploadParts, uploadFile } from '../../documents/upload-file.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Surface } from '../context/caller-surfaces.ts';
import { warnSteps } from '../context/warn-readers.ts';
import { eventStream } from './event-stream.ts';
import { formIn, isForm } from './form-in.ts';

interface SentFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A form with a `file`, or the bytes alone with `?path=`. */
async function sentFile(c: Context, bytes: Uint8Array): Promise<SentFile> {
  const named = c.req.query('path') ?? c.req.query('name');
  const type = c.req.header('content-type') ?? '';
  if (!isForm(type)) return { path: checked(named), bytes };
  const form = await formIn(type, bytes);
  const file = form.get('file');
  if (file === null || typeof file === 'string') {
    throw new DowserError('INVALID_REQUEST', "The form has no file in the field 'file'.", { field: 'file' });
  }
  return { path: checked(named ?? file.name), bytes: new Uint8Array(await file.arrayBuffer()) };
}

function checked(path: string | undefined): string {
  if (path !== undefined && path.trim() !== '') return path;
  throw new DowserError('INVALID_REQUEST', "'path' is missing: it is the name of the file in the collection.", {
    field: 'path',
    hint: 'Send the bytes with ?path=guide.pdf, or a form with a file.',
  });
}

/** Stores a file in a collection. A client that accepts server-sent events gets the steps as they happen. */
export async function answerUpload(
  c: Context,
  parts: UploadParts & Pick<Surface, 'warningsOf'>,
  body: Uint8Array,
): Promise<Response> {
  const name = c.req.param('name') ?? '';
  // Before the body is looked at: an unknown collection is the clearer error.
  await parts.documents.collection(name);
  const file = await sentFile(c, body);
  // The bytes of a request are released with it.
  const steps = warnSteps(parts, uploadFile(parts, name, { path: file.path, bytes: file.bytes.slice() }));
  if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? '')) return eventStream(steps, c.req.raw.signal);
  return c.json(await lastStep(steps));
}
