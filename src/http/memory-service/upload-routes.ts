import {
  ingestFiles,
  ingestOptionsOf,
  type ReadFile,
  readForIngest,
  uploadOf,
  wholeOf,
} from '../../mcp/memory-service/ingest-file.ts';
import {
  hasUpload,
  MAX_CONTENT,
  removeByTags,
  removeUpload,
  uploadContent,
  uploadHistory,
  uploadStatus,
} from '../../mcp/memory-service/uploads.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import type { ServiceRequest, ServiceRoute } from './service-route.ts';

/** Files in one form. */
const MAX_FILES = 100;

/** The files of these fields, and the other fields as they are. */
function sent(form: FormData | undefined, fields: readonly string[]) {
  const files = fields.flatMap((field) => form?.getAll(field) ?? []).filter((one) => typeof one !== 'string');
  const texts = [...(form?.entries() ?? [])].filter(([, value]) => typeof value === 'string');
  if (files.length === 0 || files.length > MAX_FILES) {
    throw new DowserError(
      'INVALID_REQUEST',
      `The form has ${files.length} files in '${fields[0]}': must be 1 to ${MAX_FILES}.`,
      {
        field: fields[0]!,
        hint: 'Send multipart/form-data, such as curl -F file=@guide.pdf.',
      },
    );
  }
  return { files, args: Object.fromEntries(texts) };
}

/** Reads and stores the files of a form. One that cannot be read does not stop the others. */
async function upload(memories: Memories, { form, reader }: ServiceRequest, fields: readonly string[]) {
  const { files, args } = sent(form, fields);
  const options = ingestOptionsOf(args);
  const read: ReadFile[] = [];
  const failed: DowserError[] = [];
  for (const file of files) {
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      read.push(await readForIngest(reader, file.name, { name: file.name, bytes }, options));
    } catch (thrown) {
      const error = toDowserError(thrown);
      if (error.code !== 'INVALID_FILE') throw thrown;
      failed.push(error);
    }
  }
  if (read.length === 0) throw failed[0]!;
  const { id, name } = uploadOf(read);
  const { chunks, stored, duplicates } = await ingestFiles(memories, { id, name }, read, options, new Date());
  const before = duplicates === 0 ? '' : `, ${duplicates} stored before`;
  return {
    success: true,
    upload_id: id,
    status: 'completed',
    message: `Stored ${name}: ${stored} of ${chunks} chunks${before}`,
    filename: name,
    total_chunks: chunks,
    chunks_stored: stored,
    duplicates,
    errors: failed.map(({ message }) => message),
    warnings: [...read.flatMap(({ warnings }) => warnings), ...(await unlisted(memories, id, stored))],
  };
}

/** What an upload says that is not in the history, because none of its text was new. */
async function unlisted(memories: Memories, id: string, stored: number): Promise<string[]> {
  if (stored > 0 || (await hasUpload(memories, id))) return [];
  return [`All of its text was stored before, so there is no upload ${id}: status and history do not have it.`];
}

/** Files that clients send become memories. What is known about an upload is read from these. */
export const UPLOAD_ROUTES: readonly ServiceRoute[] = [
  {
    method: 'POST',
    path: '/api/documents/upload',
    right: 'write',
    summary: 'Store a file as memories',
    takes: 'form',
    answer: (memories, request) => upload(memories, request, ['file']),
  },
  {
    method: 'POST',
    path: '/api/documents/batch-upload',
    right: 'write',
    summary: 'Store several files as memories',
    takes: 'form',
    answer: (memories, request) => upload(memories, request, ['files', 'file']),
  },
  {
    method: 'GET',
    path: '/api/documents/status/{upload_id}',
    right: 'read',
    summary: 'What is stored of an upload',
    answer: (memories, { params }) => uploadStatus(memories, params.upload_id!),
  },
  {
    method: 'GET',
    path: '/api/documents/history',
    right: 'read',
    summary: 'List uploads, newest first',
    answer: (memories) => uploadHistory(memories),
  },
  {
    method: 'GET',
    path: '/api/documents/search-content/{upload_id}',
    right: 'read',
    summary: 'Read the chunks of an upload, in order',
    answer: (memories, { params, query }) => {
      const limit = wholeOf('limit', query.limit, MAX_CONTENT, [1, MAX_CONTENT]);
      return uploadContent(memories, params.upload_id!, limit);
    },
  },
  {
    method: 'DELETE',
    path: '/api/documents/remove/{upload_id}',
    right: 'write',
    summary: 'Forget the memories of an upload',
    answer: (memories, { params, query }) =>
      removeUpload(memories, params.upload_id!, query.remove_from_memory === 'false'),
  },
  {
    method: 'DELETE',
    path: '/api/documents/remove-by-tags',
    right: 'write',
    summary: 'Forget memories of uploads by tag',
    takes: 'json',
    answer: (memories, { query, body }) => removeByTags(memories, { tags: body.tags ?? query.tags }),
  },
];
