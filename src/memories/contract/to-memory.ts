import type { EntityOf } from '../../model/entity.ts';
import { namespaceOf } from '../../model/entity-types/memory-facts.ts';
import type { EntityRecord } from '../../registry/contract/registry.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import { ownFolder } from '../../registry/write/memory-path.ts';
import type { Memory } from './memory-answers.ts';

export type MemoryEntity = EntityOf<'memory'>;

/** Who may read a memory: the members of a namespace, its owner alone, or everyone. */
export interface MemoryPlace {
  readonly namespace?: string | undefined;
  readonly owner?: string | undefined;
}

/** Where a memory is stored. In another place the same content is another memory: a caller does not learn what others have stored. */
export function pathOf(hash: string, { namespace, owner }: MemoryPlace): string {
  if (namespace !== undefined) return `/${namespace}/${hash}`;
  return owner === undefined ? `/${hash}` : `/${ownFolder(owner)}/${hash}`;
}

/** The place of a stored memory. What superseded it must be in the same one. */
export function placeOf(memory: MemoryEntity): MemoryPlace {
  const { visibility, owner } = memory;
  return { namespace: namespaceOf(memory), owner: visibility === 'private' ? owner : undefined };
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
    ...(memory.visibility === 'public' || namespaceOf(memory) !== undefined ? {} : { owner: memory.owner ?? '' }),
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
