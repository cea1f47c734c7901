import type { EntityId } from '../../model/entity.ts';
import type { StoredEntity } from '../engine.ts';
import { EntityCache } from './entity-cache.ts';
import { EntityTexts } from './entity-texts.ts';
import type { RecordStore } from './record/record-store.ts';
import type { EntityRow, UnitTable } from './unit-table.ts';

/** Read with one statement: a long list must not have all its texts in memory beside what is made of them. */
const MOST_AT_ONCE = 256;

/** Documents of the record by their ids. Those of a page that are not at hand are read together. */
export class EntityReader {
  readonly #texts: EntityTexts;
  readonly #table: UnitTable;
  readonly #cache = new EntityCache();

  constructor(record: RecordStore, table: UnitTable) {
    this.#texts = new EntityTexts(record);
    this.#table = table;
  }

  /** In the order asked; ids that do not exist are left out. */
  getMany(ids: readonly EntityId[]): readonly StoredEntity[] {
    const found: StoredEntity[] = [];
    const missing: EntityId[] = [];
    for (const id of ids) {
      const stored = this.#cache.get(id);
      if (stored === undefined) missing.push(id);
      else found.push(stored);
    }
    if (missing.length === 0) return found;
    const byId = this.#read(missing);
    for (const stored of found) byId.set(stored.id, stored);
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** To be called when an entity has changed or is gone. */
  forget({ no, facts }: EntityRow): void {
    this.#cache.delete(facts.id);
    this.#texts.forget(no);
  }

  #read(ids: readonly EntityId[]): Map<EntityId, StoredEntity> {
    const idOf = new Map<number, EntityId>();
    for (const id of ids) {
      const known = this.#table.entity(id);
      if (known !== undefined) idOf.set(known.no, id);
    }
    const read = new Map<EntityId, StoredEntity>();
    const numbers = [...idOf.keys()];
    for (let from = 0; from < numbers.length; from += MOST_AT_ONCE) {
      const documents = this.#texts.read(numbers.slice(from, from + MOST_AT_ONCE));
      for (const [no, createdAt, updatedAt, json] of documents) {
        const stored: StoredEntity = { id: idOf.get(no)!, createdAt, updatedAt, entity: JSON.parse(json) };
        this.#cache.set(stored, json.length);
        read.set(stored.id, stored);
      }
    }
    return read;
  }
}
