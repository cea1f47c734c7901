import type { EntityId } from '../../model/entity.ts';
import type { StoredEntity } from '../store.ts';
import { EntityCache } from './entity-cache.ts';
import { freezeJson } from './freeze-json.ts';
import type { EntityRow, UnitTable } from './index/unit-table.ts';
import type { RecordStore, StoredDocument } from './record/record-store.ts';

/** Entities per statement. A long list must not have all its texts and all its objects in memory at once. */
const MAX_AT_ONCE = 256;

/** Reads entities by id. Those of a page that are not cached are read with one statement. */
export class EntityReader {
  readonly #record: RecordStore;
  readonly #table: UnitTable;
  readonly #cache = new EntityCache<StoredEntity>();

  constructor(record: RecordStore, table: UnitTable) {
    this.#record = record;
    this.#table = table;
  }

  /** Call it when an entity was changed or deleted. */
  forget({ facts }: EntityRow): void {
    this.#cache.delete(facts.id);
  }

  /** In the order asked; ids that do not exist are left out. */
  getMany(ids: readonly EntityId[]): readonly StoredEntity[] {
    const found: StoredEntity[] = [];
    const missing: EntityId[] = [];
    for (const id of ids) {
      const entity = this.#cache.get(id);
      if (entity === undefined) missing.push(id);
      else found.push(entity);
    }
    if (missing.length === 0) return found;
    const byId = this.#read(missing);
    for (const entity of found) byId.set(entity.id, entity);
    const entities: StoredEntity[] = [];
    for (const id of ids) {
      const entity = byId.get(id);
      if (entity !== undefined) entities.push(entity);
    }
    return entities;
  }

  #read(ids: readonly EntityId[]): Map<EntityId, StoredEntity> {
    const idOf = new Map<number, EntityId>();
    for (const id of ids) {
      const known = this.#table.entity(id);
      if (known !== undefined) idOf.set(known.no, id);
    }
    const read = new Map<EntityId, StoredEntity>();
    const numbers = [...idOf.keys()];
    for (let from = 0; from < numbers.length; from += MAX_AT_ONCE) {
      for (const document of this.#record.readEntities(numbers.slice(from, from + MAX_AT_ONCE))) {
        const entity = readEntity(idOf.get(document[0])!, document);
        this.#cache.set(entity, document[3].length);
        read.set(entity.id, entity);
      }
    }
    return read;
  }
}

/** Frozen, because all callers get the same object. */
function readEntity(id: EntityId, [, createdAt, updatedAt, json]: StoredDocument): StoredEntity {
  const entity = JSON.parse(json);
  freezeJson(entity);
  return Object.freeze({ id, entity, createdAt, updatedAt });
}
