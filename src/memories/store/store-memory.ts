import type { z } from 'zod';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import type { WriteTurn } from '../../registry/contract/registry.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { nearDuplicates } from '../audit/near-duplicates.ts';
import { secretsIn } from '../audit/secret-patterns.ts';
import type { Memory, StoredMemory } from '../contract/memory-answers.ts';
import { type StoreMemory, storeMemorySchema } from '../contract/memory-requests.ts';
import { DEFAULT_SOURCE, leastTrusted } from '../contract/source-class.ts';
import { hashAt, type MemoryEntity, type MemoryPlace, pathOf, placeOf, toMemory } from '../contract/to-memory.ts';
import { findMemory } from '../find/find-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { checkSupersede, superseding } from './supersede.ts';

type Request = z.output<typeof storeMemorySchema>;

/** The fields of a new memory. */
export function entityOf(
  request: Omit<Request, 'derived_from' | 'supersedes' | 'reason'> & Partial<Request>,
  path: string,
  now: string,
  source: MemoryEntity['source_class'],
  { namespace, owner }: MemoryPlace,
): MemoryEntity {
  const {
    namespace: _place,
    supersedes: _old,
    reason: _why,
    source_class: _source,
    count_as: _key,
    ...fields
  } = request;
  return {
    ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as object),
    type: 'memory',
    path,
    created_at: request.created_at ?? now,
    source_class: source,
    supersedes: [],
    ...(namespace === undefined ? {} : { visibility: 'group-restricted', allowed_groups: [namespace] }),
    ...(namespace !== undefined || owner === undefined ? {} : { visibility: 'private', owner }),
  } as unknown as MemoryEntity;
}

/** What a memory is made from must be there. Its full names are kept: the start of a hash may fit another memory later. */
async function originsOf(parts: MemoryParts, { derived_from = [] }: Request): Promise<readonly MemoryEntity[]> {
  const found = await Promise.all(derived_from.map((one) => findMemory(parts, one, 'derived_from')));
  return found.map(({ entity }) => entity);
}

/** The memories that are replaced, each once. */
async function replacedOf(parts: MemoryParts, { supersedes = [] }: Request): Promise<readonly MemoryEntity[]> {
  const found = await Promise.all([supersedes].flat().map((one) => findMemory(parts, one, 'supersedes')));
  return [...new Map(found.map(({ entity }) => [entity.path, entity])).values()];
}

/** `more`: further fields of the entity. It is called in the turn of the write, with the memory that is replaced. */
export async function storeMemory(
  parts: MemoryParts,
  input: StoreMemory,
  more: (replaced: MemoryEntity | undefined, turn: WriteTurn) => Fields = () => ({}),
): Promise<StoredMemory> {
  const { registry } = parts;
  const request = parseWith(storeMemorySchema, input, 'memory');
  checkValidity(request);
  const hash = contentHash(request.content);
  const replaced = await replacedOf(parts, request);
  // A merge of memories is no more public than any of them.
  const model = replaced.find((one) => placeOf(one).owner ?? placeOf(one).namespace) ?? replaced[0];
  const place = placeFor(parts, request.namespace, model);
  const path = pathOf(hash, place);
  const now = parts.now().toISOString();
  const isMerge = Array.isArray(request.supersedes);
  const origins = [...(await originsOf(parts, request)), ...(isMerge ? replaced : [])];
  const source = leastTrusted([
    request.source_class ?? DEFAULT_SOURCE,
    ...origins.map(({ source_class }) => source_class),
  ]);
  const lineage = origins.length === 0 ? {} : { derived_from: [...new Set(origins.map(nameOf))] };
  const oldPaths = replaced.map((one) => one.path);
  let duplicate = false;
  let metadata: MemoryEntity['metadata'] = {};
  const paths = [path, ...oldPaths];
  const written = await registry.changeMany('memory', paths, (found, turn) => {
    const fields = more(found.get(oldPaths[0] ?? ''), turn);
    const there = found.get(path);
    duplicate = there !== undefined && there.deleted_at === undefined;
    const memory = counted(
      duplicate
        ? there!
        : ({ ...entityOf(begun(request, now), path, now, source, place), ...lineage, ...fields } as MemoryEntity),
      request.count_as,
      duplicate,
    );
    metadata = memory.metadata;
    if (oldPaths.length === 0) return memory === there ? [] : [memory];
    const ended: MemoryEntity[] = [];
    let successor = memory;
    for (const oldPath of oldPaths) {
      const old = found.get(oldPath);
      if (old === undefined || old.deleted_at !== undefined) throw gone(hashAt(oldPath));
      checkSupersede(old, successor, { old: 'supersedes', by: 'content' });
      const [before, after] = superseding(old, successor, { now, reason: request.reason });
      ended.push(before);
      successor = after;
    }
    return [...ended, successor];
  });
  const [stored, ...olds] = await registry.getMany('memory', paths);
  const [old] = olds;
  const said = [duplicate ? undefined : request.content, (old?.entity as MemoryEntity | undefined)?.content];
  const near = await nearDuplicates(registry, said, paths);
  if (!duplicate) parts.events.stored([stored!.entity as MemoryEntity]);
  return {
    success: !duplicate || oldPaths.length > 0,
    message: messageOf(hash, duplicate, near.length, olds.length),
    content_hash: hash,
    // The count of this call: the next one may be stored already.
    memory: request.count_as === undefined ? toMemory(stored!) : { ...toMemory(stored!), metadata },
    duplicate,
    near_duplicates: near,
    superseded: old === undefined ? null : toMemory(old),
    ...(isMerge ? { merged: olds.map(toMemory) } : {}),
    pending_vectors: written.pending_vectors,
    // The position in the batch says nothing to a caller that sent one memory.
    warnings: [
      ...secretWarnings(request.content, hash),
      ...(duplicate && olds.length === 0 ? supersededWarnings(toMemory(stored!)) : []),
      ...written.warnings.map((warning) => warning.replace(/^entities\.\d+: /, '')),
    ],
  };
}

/** Others may read a memory, and it is kept for long. The warning does not repeat the secret. */
function secretWarnings(content: string, hash: string): readonly string[] {
  const kinds = secretsIn(content);
  if (kinds.length === 0) return [];
  const what = `The memory seems to contain a secret (${kinds.join(', ')}).`;
  return [`${what} If it does, forget it for good (${hash.slice(0, 12)}) and store where to find the secret instead.`];
}

/** With one more in the counter. Whatever is no count there counts as the first time. */
function counted(memory: MemoryEntity, key: string | undefined, isRepeated: boolean): MemoryEntity {
  if (key === undefined) return memory;
  const before = isRepeated ? memory.metadata[key] : 0;
  const count = typeof before === 'number' && Number.isFinite(before) ? before : 1;
  return { ...memory, metadata: { ...memory.metadata, [key]: count + 1 } };
}

/** What replaces another memory is true from when it was learned, or a search as of an earlier time would show it first. */
function begun(request: Request, now: string): Request {
  const { supersedes, valid_from, invalid_at, created_at = now } = request;
  const isEnded = invalid_at !== undefined && Date.parse(invalid_at) <= Date.parse(created_at);
  return supersedes === undefined || valid_from !== undefined || isEnded
    ? request
    : { ...request, valid_from: created_at };
}

/** How `derived_from` names a memory: by its hash, in a namespace or of its owner alone by its path. */
export function nameOf(memory: MemoryEntity): string {
  const { namespace, owner } = placeOf(memory);
  return namespace === undefined && owner === undefined ? hashAt(memory.path) : memory.path;
}

/** Where a new memory goes. What supersedes a memory has its readers. */
export function placeFor(
  { caller, settings }: Pick<MemoryParts, 'caller' | 'settings'>,
  namespace: string | undefined,
  old?: MemoryEntity,
): MemoryPlace {
  if (namespace !== undefined) return { namespace };
  if (old !== undefined) return placeOf(old);
  return settings.readers === 'owner' ? { owner: caller.name } : {};
}

export function checkValidity({ valid_from, invalid_at }: Pick<Request, 'valid_from' | 'invalid_at'>): void {
  if (valid_from === undefined || invalid_at === undefined || Date.parse(valid_from) < Date.parse(invalid_at)) return;
  throw new DowserError(
    'INVALID_REQUEST',
    `'invalid_at' is ${invalid_at}: must be after 'valid_from' (${valid_from}).`,
    {
      field: 'invalid_at',
    },
  );
}

function gone(hash: string): DowserError {
  return new DowserError('NOT_FOUND', `There is no memory ${hash}.`, { field: 'supersedes' });
}

/** Who stores it again takes it for true. */
const supersededWarnings = ({ superseded }: Memory): readonly string[] =>
  superseded === null ? [] : [`It is superseded by ${superseded.by}, which searches show in its place.`];

function messageOf(hash: Memory['content_hash'], duplicate: boolean, near: number, superseded: number): string {
  if (duplicate)
    return superseded > 0
      ? `Superseded by a memory that was there (hash: ${hash})`
      : `Duplicate: already stored (hash: ${hash})`;
  const also = near === 0 ? '' : `, near duplicates: ${near}`;
  const done =
    superseded > 1
      ? `Merged ${superseded} memories`
      : superseded === 1
        ? 'Stored and superseded the old memory'
        : 'Stored';
  return `${done} (hash: ${hash})${also}`;
}
