import type { EntityId } from './entity-id.ts';

/**
 * The unit of indexing. An entity has a card and, depending on its type, a unit for each tool, agent skill, SKILL.md section
 * or chunk. Units are ranked; results are entities, by their best unit.
 */
export const UNIT_KINDS = ['card', 'tool', 'agent_skill', 'section', 'chunk'] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

/** The text fields of a unit, in index order. At most eight: a posting packs one count for each into 32 bits. */
export const FIELDS = ['name', 'path', 'description', 'tags', 'metadata', 'tools', 'parameters', 'body'] as const;
export type Field = (typeof FIELDS)[number];

/**
 * `entityId#key`, where key is `card`, `tool:NAME`, `agent_skill:ID`, `section:N` or `chunk:N`. A key never contains `#`, so
 * that ids are unique for all paths and names.
 */
export type UnitId = string & { readonly __brand: 'UnitId' };

export function unitId(entity: EntityId, key: string): UnitId {
  return `${entity}#${key}` as UnitId;
}

const escaped = (name: string) => (/[%#]/.test(name) ? name.replaceAll('%', '%25').replaceAll('#', '%23') : name);

function namedKey(kind: 'tool' | 'agent_skill', name: string): string {
  return `${kind}:${escaped(name)}`;
}

export const toolKey = (name: string): string => namedKey('tool', name);

interface NamedPart {
  readonly name: string;
  /** Comes before the name, unless it is empty. */
  readonly id?: string;
}

/** The keys of these parts, in order. Keys stay unique even if a server has two tools with the same name. */
export function uniqueKeys(kind: 'tool' | 'agent_skill', parts: readonly NamedPart[]): readonly string[] {
  const first = parts.map(({ id = '', name }) => namedKey(kind, id === '' ? name : id));
  const taken = new Set(first);
  const used = new Set<string>();
  return first.map((own) => {
    let key = own;
    for (let count = 2; used.has(key); count++) {
      const next = `${own}~${count}`;
      if (!taken.has(next)) key = next;
    }
    used.add(key);
    return key;
  });
}

export interface Unit {
  readonly id: UnitId;
  readonly entity: EntityId;
  readonly key: string;
  readonly kind: UnitKind;
  /** For people: the tool's name, the section's heading, the entity's name for a card. */
  readonly title: string;
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** The text to embed. Empty: the unit has no vector and needs none. */
  readonly embedText: string;
}
