import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DowserError } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import type { DocumentReader } from './contract/document-reader.ts';
import type { Documents } from './contract/documents.ts';
import { sentFileId } from './scan/file-id.ts';
import { chunkOptions, isUnreadable, toContent } from './scan/to-file-change.ts';

export const uploadedSchema = z.object({
  collection: z.string(),
  path: z.string(),
  source_id: z.string(),
  title: z.string(),
  format: z.string(),
  chunks: z.int(),
  pages: z.int().nullable(),
  warnings: z.array(z.string()).describe('What of the file was not read, as sentences.'),
});
/** A file after it was stored. */
export type Uploaded = z.output<typeof uploadedSchema>;

/** How far an upload is. `read` and `stored` have the number of chunks. */
export type UploadStep =
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'read'; readonly chunks: number; readonly pages: number | null }
  | ({ readonly type: 'done' } & Uploaded);

export interface UploadParts {
  readonly documents: Documents;
  readonly reader: Pick<DocumentReader, 'read'>;
  readonly now: () => Date;
}

/**
 * Reads a file that was sent and stores it in a collection, in steps. A file of the same path is replaced. Throws
 * INVALID_FILE for one that cannot be read.
 */
export async function* uploadFile(
  { documents, reader, now }: UploadParts,
  name: string,
  file: { readonly path: string; readonly bytes: Uint8Array },
): AsyncGenerator<UploadStep> {
  const { name: collection, chunking } = await documents.collection(name);
  const { path, bytes } = file;
  yield { type: 'received', bytes: bytes.length };
  const id = sentFileId(collection, path);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const chunk = { documentId: id, options: chunkOptions(chunking) };
  const content = toContent(id, await reader.read({ name: path, bytes }, { chunk }), chunking);
  if (isUnreadable(content)) {
    throw new DowserError('INVALID_FILE', `${showValue(path)} was not stored (${content.code}): ${content.message}`, {
      field: 'file',
    });
  }
  const { title, format, warnings } = content;
  const chunks = content.chunks.length;
  const pages = content.page_starts?.length ?? null;
  yield { type: 'read', chunks, pages };
  const state = { size: bytes.length, mtime_ms: now().getTime(), hash, sent: true };
  await documents.putFiles(collection, { put: [{ id, path, ...state, content }] });
  yield { type: 'done', collection, path, source_id: id, title, format, chunks, pages, warnings };
}

/** What became of a file, without its steps. */
export async function lastStep(steps: AsyncIterable<UploadStep>): Promise<Uploaded> {
  let last: UploadStep | undefined;
  for await (const step of steps) last = step;
  if (last?.type !== 'done') throw new DowserError('INTERNAL', 'The upload ended early.');
  const { type: _, ...uploaded } = last;
  return uploaded;
}
