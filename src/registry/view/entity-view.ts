import type { Store } from '../../engines/store.ts';
import { ENTITY_TYPES, type Entity, type EntityId, type EntityType, idOf, splitEntityId } from '../../model/entity.ts';
import { memoryFacts } from '../../model/entity-types/memory-facts.ts';
import { descriptorOf } from '../../model/entity-types/table.ts';
import { flattenMetadata } from '../../model/text/metadata-text.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { ViewRow } from '../contract/registry.ts';
import { addressesOf, identitiesOf } from './identities.ts';
import { scanRecords } from './scan-records.ts';

/** Applied to both sides of a comparison. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** The text that list queries search. Empty for content, which would only fill the memory. */
function haystackOf(entity: Entity): string {
  const { role, listWords } = descriptorOf(entity);
  if (role === 'content') return '';
  const { name, description, tags, metadata } = entity;
  const words = [name, description, ...tags, ...listWords(entity), flattenMetadata(metadata)];
  return folded(words.filter((word) => word !== '').join(' '));
}

function rowOf(entity: Entity): ViewRow {
  const { path, tags, status, is_enabled, visibility, owner, allowed_groups } = entity;
  return {
    id: idOf(entity),
    path,
    tags,
    status,
    is_enabled,
    visibility,
    owner,
    allowed_groups,
    name: folded(entity.name.trim()),
    packageName: entity.type === 'package' ? folded(entity.package_name?.trim() ?? '') || null : null,
    haystack: haystackOf(entity),
    skills: entity.type === 'a2a_agent' ? entity.skills.flatMap(({ id, name }) => [folded(id), folded(name)]) : [],
    addresses: addressesOf(entity),
    identities: identitiesOf(entity),
    memory: entity.type === 'memory' ? memoryFacts(entity) : null,
  };
}

/** Sorted by name, then by id. */
export interface EntityRows {
  rows(type: EntityType): Promise<readonly ViewRow[]>;
}

interface TypeView {
  readonly rows: Map<EntityId, ViewRow>;
  revision: number;
  /** Sorted by name. Null after a change. */
  sorted: readonly ViewRow[] | null;
}

/**
 * The rows of every entity of a type, read once and then updated from the change log. Reading a whole type for each list took
 * 2 s at 10,000 servers. Lists fetch what they show, so a row only finds an entity.
 */
export class EntityView implements EntityRows {
  readonly #store: Store;
  readonly #types = new Map<EntityType, Promise<TypeView>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads all types now, so that no list has to. At a million units that takes seconds. Never throws: a list reads again. */
  async prepare(): Promise<void> {
    for (const type of ENTITY_TYPES) await this.rows(type).catch(() => undefined);
  }

  async rows(type: EntityType): Promise<readonly ViewRow[]> {
    const before = this.#types.get(type);
    const next = (before ?? this.#read(type)).then(
      (view) => this.#keepUp(type, view),
      () => this.#read(type),
    );
    this.#types.set(type, next);
    const view = await next;
    view.sorted ??= [...view.rows.values()].sort(byName);
    return view.sorted;
  }

  async #read(type: EntityType): Promise<TypeView> {
    const { revision } = this.#store.changes(null);
    const rows = new Map<EntityId, ViewRow>();
    for await (const { id, entity } of scanRecords(this.#store, [type])) rows.set(id, rowOf(entity));
    return { rows, revision, sorted: null };
  }

  async #keepUp(type: EntityType, view: TypeView): Promise<TypeView> {
    const { revision, ids } = this.#store.changes(view.revision);
    if (ids === null) return this.#read(type);
    const own = [...new Set(ids)].filter((id) => splitEntityId(id).type === type);
    if (own.length > 0) {
      for (const id of own) view.rows.delete(id);
      for (const { id, entity } of await this.#store.getMany(own)) view.rows.set(id, rowOf(entity));
      view.sorted = null;
    }
    view.revision = revision;
    return view;
  }
}

/** The order of rows. */
export function byName(a: ViewRow, b: ViewRow): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return compareIds(a.id, b.id);
}
