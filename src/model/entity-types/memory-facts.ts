import { type EntityId, entityId } from '../entity-parts/entity-id.ts';
import type { EntityOf } from './table.ts';

/** Who said it, the most trusted first. */
export const SOURCE_CLASSES = ['user', 'model', 'tool', 'document'] as const;
export type SourceClass = (typeof SOURCE_CLASSES)[number];

/** The filterable facts of a memory. Times are milliseconds since 1970. They are stored, so a change needs a migration. */
export interface MemoryFacts {
  /** `kind:value`, folded: see `memoryLabel`. */
  readonly labels: readonly string[];
  /** When it was learned. */
  readonly at: number | null;
  readonly validFrom: number | null;
  /** The first moment at which it is no longer true. */
  readonly validTo: number | null;
  /** The memory that superseded it. */
  readonly successor: EntityId | null;
  /** How sure its writer was, 0 to 1. Null: nothing was said. */
  readonly certainty: number | null;
  /** Its content hash. Not a label: a group of rows for every memory would take too much room. */
  readonly hash: string | null;
}

export type MemoryLabelKind = 'type' | 'source' | 'agent' | 'conversation' | 'namespace';

export const memoryLabel = (kind: MemoryLabelKind, value: string): string => `${kind}:${value.trim().toLowerCase()}`;

type Memory = EntityOf<'memory'>;

/** The group that may read it; undefined for a memory that is not restricted to one. */
export function namespaceOf({ visibility, allowed_groups }: Pick<Memory, 'visibility' | 'allowed_groups'>) {
  return visibility === 'group-restricted' ? allowed_groups[0] : undefined;
}

/** A stored moment has been checked when it was parsed. */
const momentOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

export function memoryFacts(memory: Memory): MemoryFacts {
  const { memory_type, source_class, agent_id, conversation_id, content_hash, superseded } = memory;
  const values: readonly (readonly [MemoryLabelKind, string | undefined])[] = [
    ['type', memory_type],
    ['source', source_class],
    ['agent', agent_id],
    ['conversation', conversation_id],
    ['namespace', namespaceOf(memory)],
  ];
  return {
    labels: values.flatMap(([kind, value]) => (value === undefined ? [] : [memoryLabel(kind, value)])),
    at: momentOf(memory.created_at),
    validFrom: momentOf(memory.valid_from),
    validTo: momentOf(memory.invalid_at),
    certainty: memory.certainty ?? null,
    successor: superseded === undefined ? null : entityId('memory', superseded.by),
    hash: content_hash ?? null,
  };
}
