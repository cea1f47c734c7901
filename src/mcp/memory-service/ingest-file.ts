import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { type DocumentChunk, MIN_CHUNK_CHARS } from '../../documents/contract/document-chunk.ts';
import { type DocumentReader, isReadFailure, type ReadInput } from '../../documents/contract/document-reader.ts';
import { storeMemorySchema } from '../../memories/contract/memory-requests.ts';
import type { Memories } from '../../memories/memories.ts';
import { MAX_MEMORY_CHARS } from '../../model/entity-types/memory.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { MAX_BATCH } from '../../registry/contract/registry.ts';
import { type ServiceArguments, tagsOf } from './service-arguments.ts';

export const DEFAULT_CHUNK_SIZE = 1000;
export const DEFAULT_CHUNK_OVERLAP = 200;
const DEFAULT_TYPE = 'document';
const ID_DIGITS = 32;
const MAX_NAME_CHARS = 1000;

/** The tag of every memory of one upload. Nothing else is kept about it. */
export const uploadTag = (id: string): string => `upload_id:${id}`;

export interface IngestOptions {
  readonly tags: readonly string[];
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly memoryType: string;
}

const aboutSchema = storeMemorySchema.pick({ tags: true, memory_type: true });

/** Numbers may be text: forms have nothing else. Throws INVALID_REQUEST, so that no file is read for nothing. */
export function ingestOptionsOf(args: ServiceArguments): IngestOptions {
  const memoryType = args.memory_type == null || args.memory_type === '' ? DEFAULT_TYPE : args.memory_type;
  const about = parseWith(aboutSchema, { tags: tagsOf(args) ?? [], memory_type: memoryType }, 'upload');
  const chunkSize = wholeOf('chunk_size', args.chunk_size, DEFAULT_CHUNK_SIZE, [MIN_CHUNK_CHARS, MAX_MEMORY_CHARS]);
  const half = Math.floor(chunkSize / 2);
  const overlap = Math.min(DEFAULT_CHUNK_OVERLAP, half);
  return {
    tags: about.tags ?? [],
    chunkSize,
    chunkOverlap: wholeOf('chunk_overlap', args.chunk_overlap, overlap, [0, half], ', half of chunk_size'),
    memoryType: about.memory_type ?? DEFAULT_TYPE,
  };
}

export function wholeOf(
  field: string,
  value: unknown,
  fallback: number,
  [min, max]: readonly [min: number, max: number],
  why = '',
): number {
  if (value == null || value === '') return fallback;
  const number = typeof value === 'boolean' ? Number.NaN : Number(value);
  if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
  const expected = `must be a whole number from ${min} to ${max}${why}`;
  throw new DowserError('INVALID_REQUEST', `'${field}' is ${showValue(value)}: ${expected}.`, { field });
}

/** A file as chunks, not stored yet. */
export interface ReadFile {
  readonly name: string;
  /** From its name and its text: the same file again has the same id. */
  readonly id: string;
  readonly bytes: number;
  readonly chunks: readonly DocumentChunk[];
  readonly warnings: readonly string[];
}

/** Reads a file in the process of the reader. Throws INVALID_FILE. */
export async function readForIngest(
  reader: Pick<DocumentReader, 'read'>,
  named: string,
  input: ReadInput,
  { chunkSize, chunkOverlap }: IngestOptions,
): Promise<ReadFile> {
  const name = shownName(named);
  const options = { strategy: 'recursive', maxChars: chunkSize, overlapChars: chunkOverlap } as const;
  const result = await reader.read(input, { chunk: { documentId: name, options } });
  const place = 'path' in input ? input.path : name;
  if (isReadFailure(result)) throw unreadable(place, `(${result.failed}): ${result.message}`);
  const { chunks = [], text, warnings } = result;
  if (chunks.length === 0) throw unreadable(place, '(no_text): The file has no text.');
  const bytes = 'bytes' in input ? input.bytes.length : (await stat(input.path)).size;
  const id = sha256(`${name}\0${text}`).slice(0, ID_DIGITS);
  return { name, id, bytes, chunks, warnings };
}

/** The name without what a name must not do: lead out of its folder, or control the terminal that shows it. */
function shownName(named: string): string {
  const parts = named.replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, '').split(/[\\/]+/);
  const name = parts.filter((part) => part !== '' && part !== '.' && part !== '..').join('/');
  if (name !== '' && name.length <= MAX_NAME_CHARS) return name;
  throw unreadable(named, `(name): The name must have 1 to ${MAX_NAME_CHARS} characters.`);
}

const unreadable = (name: string, why: string): DowserError =>
  new DowserError('INVALID_FILE', `${showValue(name)} was not stored ${why}`, { field: 'file' });

/** Files that are stored under one id. */
export interface Upload {
  readonly id: string;
  readonly name: string;
}

export function uploadOf(files: readonly ReadFile[]): Upload {
  const [first] = files;
  if (files.length === 1) return { id: first!.id, name: first!.name };
  const id = sha256(files.map((file) => file.id).join('\n')).slice(0, ID_DIGITS);
  return { id, name: `Batch (${files.length} files)` };
}

export interface Ingested {
  readonly chunks: number;
  readonly stored: number;
  /** Chunks whose text was stored before. */
  readonly duplicates: number;
}

/**
 * Stores chunks as memories of an untrusted document. Each chunk is a little older than the one before it, so that lists,
 * which have the newest first, are in the order of the text.
 */
export async function ingestFiles(
  memories: Memories,
  upload: Upload,
  files: readonly ReadFile[],
  { tags, memoryType }: IngestOptions,
  now: Date,
): Promise<Ingested> {
  const total = files.reduce((sum, file) => sum + file.chunks.length, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const all = files.flatMap((file) =>
    file.chunks.map((chunk) => ({
      content: chunk.text,
      tags: [...tags, uploadTag(upload.id)],
      memory_type: memoryType,
      source_class: 'document',
      metadata: {
        upload_id: upload.id,
        upload_name: upload.name,
        upload_chunks: total,
        upload_size: bytes,
        source_file: file.name,
        file_type: extname(file.name).slice(1).toLowerCase(),
        file_size: file.bytes,
        chunk_index: chunk.position.index,
        total_chunks: file.chunks.length,
        ...(chunk.position.page === undefined ? {} : { page: chunk.position.page }),
        ...(chunk.context === '' ? {} : { section: chunk.context }),
      },
    })),
  );
  const timed = all.map((memory, at) => ({ ...memory, created_at: new Date(now.getTime() - at).toISOString() }));
  let stored = 0;
  let duplicates = 0;
  for (let at = 0; at < timed.length; at += MAX_BATCH) {
    const done = await memories.storeMany(timed.slice(at, at + MAX_BATCH));
    const [refused] = done.refused;
    if (refused !== undefined) throw new DowserError('INVALID_REQUEST', refused.message, { field: 'file' });
    stored += done.stored;
    duplicates += done.duplicates;
  }
  return { chunks: total, stored, duplicates };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
