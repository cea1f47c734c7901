import { basename } from 'node:path';
import { type Entity, type EntityId, idOf, type ParsedEntity } from '../../model/entity.ts';
import { DowserError, type ErrorCode } from '../../model/errors/errors.ts';
import type { BatchResult } from '../../registry/contract/registry.ts';
import { openJsonl } from '../../sources/kinds/jsonl.ts';
import { checkUtf8 } from './utf8-file.ts';

/** One transaction each: large enough to be fast, small enough to show progress. */
const BATCH_ENTITIES = 500;
/** In characters of JSON. Well under the body limit of a server, which may get the batch over HTTP. */
const BATCH_CHARS = 3_000_000;
/** How many rejected lines, and how many warnings, are reported one by one. */
export const FIRST_REASONS = 10;

/** A message about a line. */
export interface LineNote {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Rejection extends LineNote {
  readonly code: ErrorCode;
  /** Where in the line, for one that is not JSON; counted from 1. */
  readonly column?: number | undefined;
}

export interface ImportSummary {
  added: number;
  updated: number;
  /** Entities that a later line of the same import replaced. */
  duplicates: number;
  rejected: number;
  readonly by_reason: Partial<Record<ErrorCode, number>>;
  readonly first_rejections: Rejection[];
  /** Ignored fields of valid lines. */
  warnings: number;
  readonly first_warnings: LineNote[];
}

export interface ImportOptions {
  readonly putMany: (entities: readonly ParsedEntity[]) => Promise<BatchResult>;
  readonly onProgress?: (progress: {
    readonly bytes: number;
    readonly totalBytes: number;
    readonly lines: number;
  }) => void;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly parsed: ParsedEntity;
  readonly file: string;
  readonly line: number;
}

/**
 * Loads JSON Lines files in batches. A bad line is skipped. A file that is not UTF-8 is refused, and nothing is stored. Stops
 * between batches when the signal aborts: stored batches stay, and the next import of the files adds the rest.
 */
export async function importFiles(files: readonly string[], options: ImportOptions): Promise<ImportSummary> {
  const summary: ImportSummary = {
    added: 0,
    updated: 0,
    duplicates: 0,
    rejected: 0,
    by_reason: {},
    first_rejections: [],
    warnings: 0,
    first_warnings: [],
  };
  const opened = [];
  for (const file of files) {
    opened.push({ file, ...(await openJsonl(file)) });
    await checkUtf8(file);
  }
  const totalBytes = opened.reduce((sum, { bytes }) => sum + bytes, 0);
  const stored = new Set<EntityId>();
  let batch = new Map<EntityId, Waiting>();
  let chars = 0;

  const reject = (file: string, line: number, error: DowserError) => {
    summary.rejected++;
    summary.by_reason[error.code] = (summary.by_reason[error.code] ?? 0) + 1;
    const { code, message, details } = error;
    if (summary.first_rejections.length < FIRST_REASONS)
      summary.first_rejections.push({ file: basename(file), line, column: details?.column, code, message });
  };
  const note = (file: string, line: number, message: string) => {
    summary.warnings++;
    if (summary.first_warnings.length < FIRST_REASONS)
      summary.first_warnings.push({ file: basename(file), line, message });
  };
  const flush = async () => {
    const waiting = batch;
    batch = new Map();
    chars = 0;
    const result = await putWithoutRefused([...waiting.values()], options.putMany, reject);
    const again = [...waiting.keys()].filter((id) => stored.has(id)).length;
    for (const id of waiting.keys()) stored.add(id);
    summary.added += result.created;
    summary.updated += result.updated - again;
  };

  let before = 0;
  let lines = 0;
  for (const { file, bytes, lines: entries } of opened) {
    for await (const entry of entries) {
      if (options.signal?.aborted === true) return summary;
      lines++;
      if ('error' in entry) reject(file, entry.line, entry.error);
      else {
        const id = idOf(entry.entity);
        if (stored.has(id) || batch.delete(id)) summary.duplicates++;
        batch.set(id, { parsed: entry.parsed, file, line: entry.line });
        chars += sizeOf(entry.entity);
        for (const message of entry.warnings) note(file, entry.line, message);
      }
      if (batch.size >= BATCH_ENTITIES || chars > BATCH_CHARS) await flush();
      options.onProgress?.({ bytes: before + entry.bytesRead, totalBytes, lines });
    }
    before += bytes;
  }
  if (batch.size > 0) await flush();
  return summary;
}

/** An estimate without building the JSON: long texts make an entity large. */
function sizeOf(entity: Entity): number {
  const body = 'body' in entity ? entity.body.length : 'content' in entity ? entity.content.length : 0;
  const tools = 'tools' in entity ? entity.tools.length * 1000 : 0;
  return 1000 + entity.description.length + body + tools;
}

/** Where a batch error points: `entities.12.name` -> 12 */
function refusedAt(thrown: unknown): number | undefined {
  const index = thrown instanceof DowserError ? /^entities\.(\d+)(?:\.|$)/.exec(thrown.field ?? '')?.[1] : undefined;
  return index === undefined ? undefined : Number(index);
}

type Counts = Pick<BatchResult, 'created' | 'updated'>;

/**
 * A batch is all or nothing, so one entity the registry refuses is taken out and the rest is sent again. A batch that is
 * too large for a server is sent in halves.
 */
async function putWithoutRefused(
  batch: readonly Waiting[],
  putMany: ImportOptions['putMany'],
  reject: (file: string, line: number, error: DowserError) => void,
): Promise<Counts> {
  if (batch.length === 0) return { created: 0, updated: 0 };
  const put = (part: readonly Waiting[]) => putWithoutRefused(part, putMany, reject);
  try {
    return await putMany(batch.map(({ parsed }) => parsed));
  } catch (thrown) {
    const tooLarge = thrown instanceof DowserError && thrown.code === 'BODY_TOO_LARGE';
    if (tooLarge && batch.length > 1) {
      const middle = batch.length >> 1;
      const [first, second] = [await put(batch.slice(0, middle)), await put(batch.slice(middle))];
      return { created: first.created + second.created, updated: first.updated + second.updated };
    }
    const at = tooLarge ? 0 : refusedAt(thrown);
    const refused = at === undefined ? undefined : batch[at];
    if (refused === undefined) throw thrown;
    reject(refused.file, refused.line, thrown as DowserError);
    return put(batch.filter((waiting) => waiting !== refused));
  }
}
