import type { EntityOf } from '../model/entity.ts';
import { namespaceOf } from '../model/memory-facts.ts';
import type { EntityRecord } from '../registry/registry.ts';
import { contentHash } from '../registry/write/memory-hash.ts';
import type { Memory } from './memory-answers.ts';

export type MemoryEntity = EntityOf<'memory'>;

/** Where a memory is stored. In a namespace the same content is another memory: a caller does not learn what others have stored. */
export function pathOf(hash: string, namespace: string | undefined): string {
  return namespace === undefined ? `/${hash}` : `/${namespace}/${hash}`;
}

/** The hash of the memory at a path; the path itself for a memory that was registered under a name. */
export function hashAt(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /^[0-9a-f]{64}$/.test(last) ? last : path;
}

const seconds = (iso: string): number => Date.parse(iso) / 1000;

export function toMemory({ entity, created_at, updated_at }: EntityRecord): Memory {
  const memory = entity as MemoryEntity;
  const learned = memory.created_at ?? created_at;
  const { superseded } = memory;
  return {
    content: memory.content,
    content_hash: memory.content_hash ?? contentHash(memory.content),
    tags: memory.tags,
    memory_type: memory.memory_type ?? null,
    metadata: memory.metadata,
    created_at: seconds(learned),
    created_at_iso: learned,
    updated_at: seconds(updated_at),
    updated_at_iso: updated_at,
    path: memory.path,
    source_class: memory.source_class ?? null,
    certainty: memory.certainty ?? null,
    agent_id: memory.agent_id ?? null,
    conversation_id: memory.conversation_id ?? null,
    namespace: namespaceOf(memory) ?? null,
    valid_from: memory.valid_from ?? null,
    invalid_at: memory.invalid_at ?? null,
    superseded:
      superseded === undefined ? null : { by: hashAt(superseded.by), at: superseded.at, reason: superseded.reason },
    supersedes: memory.supersedes.map(hashAt),
    derived_from: memory.derived_from,
    deleted_at: memory.deleted_at ?? null,
    turn_count: memory.turns.length,
  };
}
