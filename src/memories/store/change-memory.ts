import { namespaceOf } from '../../model/entity-types/memory-facts.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import { nearDuplicates } from '../audit/near-duplicates.ts';
import type { StoredMemory, SupersededMemory } from '../contract/memory-answers.ts';
import {
  type SupersedeMemory,
  supersedeMemorySchema,
  type UpdateMemory,
  updateMemorySchema,
} from '../contract/memory-requests.ts';
import { DEFAULT_SOURCE, isLessTrusted, leastTrusted } from '../contract/source-class.ts';
import { hashAt, type MemoryEntity, toMemory } from '../contract/to-memory.ts';
import { findMemory } from '../find/find-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { checkValidity, storeMemory } from './store-memory.ts';
import { checkSupersede, restoring, superseding } from './supersede.ts';

/** The memory as it is in the turn of this write. What was forgotten meanwhile is not there. */
function needed(found: ReadonlyMap<string, MemoryEntity>, path: string): MemoryEntity {
  const memory = found.get(path);
  if (memory !== undefined && memory.deleted_at === undefined) return memory;
  throw new DowserError('NOT_FOUND', `There is no memory ${hashAt(path)}.`, { field: 'content_hash' });
}

export async function updateMemory(parts: MemoryParts, hash: string, input: UpdateMemory): Promise<StoredMemory> {
  const { registry } = parts;
  const { content, reason, ...changes } = parseWith(updateMemorySchema, input, 'update');
  const { entity } = await findMemory(parts, hash);
  if (content !== undefined) return newVersion(parts, entity, { content, reason, ...changes });
  const written = await registry.changeMany('memory', [entity.path], (found) => [
    changed(needed(found, entity.path), changes),
  ]);
  const [stored] = await registry.getMany('memory', [entity.path]);
  const memory = toMemory(stored!);
  return {
    success: true,
    message: `Updated (hash: ${memory.content_hash})`,
    content_hash: memory.content_hash,
    memory,
    duplicate: false,
    near_duplicates: [],
    superseded: null,
    pending_vectors: written.pending_vectors,
    warnings: [...written.warnings],
  };
}

type Changes = Omit<UpdateMemory, 'content' | 'reason' | 'tags'> & { readonly tags?: string[] | undefined };

function changed(memory: MemoryEntity, changes: Changes): MemoryEntity {
  const { metadata, source_class, valid_from, invalid_at, ...fields } = changes;
  if (source_class !== undefined && isLessTrusted(memory.source_class, source_class)) {
    throw new DowserError(
      'FORBIDDEN',
      `A memory of class '${memory.source_class ?? 'unknown'}' cannot become '${source_class}'.`,
      {
        field: 'source_class',
        hint: 'Store what was confirmed as a new memory that supersedes this one.',
      },
    );
  }
  const stated = Object.fromEntries(
    Object.entries({ ...fields, source_class }).filter(([, value]) => value !== undefined),
  );
  const times = Object.entries({ valid_from, invalid_at }).filter(([, value]) => value !== undefined);
  const next: Record<string, unknown> = { ...memory, ...stated, metadata: merged(memory.metadata, metadata) };
  for (const [field, value] of times) {
    if (value === null) delete next[field];
    else next[field] = value;
  }
  // Not where no time changes: a memory may be superseded from a time before it began.
  if (times.length > 0) checkValidity(next as unknown as MemoryEntity);
  return next as unknown as MemoryEntity;
}

function merged(metadata: Record<string, unknown>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...metadata, ...changes }).filter(([, value]) => value !== null));
}

/** New content carries over what was said about the old one, as that is in the turn of the write. */
function newVersion(
  parts: MemoryParts,
  old: MemoryEntity,
  { content, reason, ...changes }: Changes & { readonly content: string; readonly reason: string | undefined },
): Promise<StoredMemory> {
  const request = {
    content,
    namespace: namespaceOf(old),
    valid_from: changes.valid_from ?? undefined,
    invalid_at: changes.invalid_at ?? undefined,
    supersedes: old.path,
    reason,
  };
  return storeMemory(parts, request, (replaced, turn) => {
    turn.conditionIsAbout(old.path);
    return carriedOver(replaced ?? old, changes);
  });
}

function carriedOver(old: MemoryEntity, changes: Changes): Fields {
  const { tags, memory_type, agent_id, conversation_id, certainty } = old;
  const fields = {
    tags: changes.tags ?? tags,
    memory_type: changes.memory_type ?? memory_type,
    metadata: merged(old.metadata, changes.metadata),
    agent_id,
    conversation_id,
    // A rewritten untrusted text stays untrusted, unless the request says whose words the new ones are.
    source_class: changes.source_class ?? leastTrusted([DEFAULT_SOURCE, old.source_class]),
    certainty: changes.certainty ?? certainty,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export async function supersedeMemory(
  parts: MemoryParts,
  hash: string,
  input: SupersedeMemory,
): Promise<SupersededMemory> {
  const { registry, now } = parts;
  const { by, reason } = parseWith(supersedeMemorySchema, input, 'request');
  const [old, successor] = [await findMemory(parts, hash), await findMemory(parts, by, 'by')];
  const paths = [old.entity.path, successor.entity.path] as const;
  await registry.changeMany('memory', paths, (found, turn) => {
    const [first, second] = [needed(found, paths[0]), needed(found, paths[1])];
    turn.conditionIsAbout(paths[0]);
    checkSupersede(first, second, { old: 'content_hash', by: 'by' });
    return superseding(first, second, { now: now().toISOString(), reason });
  });
  return supersededAnswer({ registry }, paths, `Superseded by ${hashAt(paths[1])}`);
}

export async function undoSupersede(parts: MemoryParts, hash: string): Promise<SupersededMemory> {
  const { registry } = parts;
  const { entity } = await findMemory(parts, hash);
  if (entity.superseded === undefined && isMerged(entity)) return undoMerge(parts, entity);
  const paths = entity.superseded === undefined ? [entity.path] : [entity.path, entity.superseded.by];
  await registry.changeMany('memory', paths, (found, turn) => {
    const memory = needed(found, entity.path);
    turn.conditionIsAbout(entity.path);
    return restoring(memory, found.get(paths[1] ?? ''));
  });
  return supersededAnswer({ registry }, paths, 'Restored: it is current again');
}

/** It was made from all that it replaced. */
function isMerged({ supersedes, derived_from }: MemoryEntity): boolean {
  return (
    supersedes.length > 0 &&
    supersedes.every((path) => derived_from.includes(path) || derived_from.includes(hashAt(path)))
  );
}

/** All memories that one was merged from are current again, and that one is forgotten. */
async function undoMerge({ registry, now, events }: MemoryParts, { path, supersedes }: MemoryEntity) {
  let forgotten: MemoryEntity | undefined;
  await registry.changeMany('memory', [path, ...supersedes], (found, turn) => {
    const merged = needed(found, path);
    turn.conditionIsAbout(path);
    const restored: MemoryEntity[] = [];
    let successor = merged;
    for (const one of supersedes) {
      const before = found.get(one);
      // Forgotten since, it stays so.
      if (before === undefined || before.deleted_at !== undefined) continue;
      const [old, after = successor] = restoring(before, successor);
      restored.push(old);
      successor = after;
    }
    forgotten = { ...successor, is_enabled: false, deleted_at: now().toISOString() };
    return [...restored, forgotten];
  });
  if (forgotten !== undefined) events.deleted([forgotten]);
  const count = supersedes.length;
  const message = `Restored: ${count} ${count === 1 ? 'memory is' : 'memories are'} current again, and the merged one is forgotten`;
  return supersededAnswer({ registry }, supersedes.slice(0, 1), message);
}

async function supersededAnswer(
  { registry }: Pick<MemoryParts, 'registry'>,
  paths: readonly string[],
  message: string,
): Promise<SupersededMemory> {
  const [old, successor] = await registry.getMany('memory', paths);
  const memory = toMemory(old!);
  return {
    success: true,
    message,
    memory,
    successor: successor === undefined ? null : toMemory(successor),
    near_duplicates: await nearDuplicates(registry, [memory.content], paths),
  };
}
