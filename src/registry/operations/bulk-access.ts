import type { Store, StoredEntity } from '../../engines/store.ts';
import { type Entity, type EntityOf, type EntityType, entityId, splitEntityId } from '../../model/entity.ts';
import type { ScopedRegistry } from '../contract/registry.ts';
import type { EntityRows } from '../view/entity-view.ts';
import { toRecord } from '../view/scan-records.ts';
import { isPartOf } from '../write/holders.ts';
import { changeMany, checkMayDelete, type PublishParts } from '../write/publish.ts';
import { holderOf } from '../write/write-checks.ts';

type BulkAccess = Pick<ScopedRegistry, 'changeMany' | 'rows' | 'getMany' | 'deleteMany' | 'annotate' | 'annotated'>;

/** Many entities at once, for services over the registry. `store` and `view` are those of the caller. */
export function bulkAccess(publish: PublishParts, store: Store, view: EntityRows): BulkAccess {
  const stored = (type: EntityType, paths: readonly string[]) =>
    store.getMany([...new Set(paths)].map((path) => entityId(type, path)));
  const checked = (records: readonly StoredEntity[], holder?: Entity) => {
    const ids = records.map(({ id }) => id);
    publish.rule.checkChange(
      records.map(({ entity }) => entity),
      (entity) => holder !== undefined && isPartOf(holder, entity, undefined),
    );
    publish.rule.starts(ids, records);
    return ids;
  };
  return {
    changeMany: (type, paths, make, options) =>
      changeMany(
        publish,
        async () => {
          const found = await stored(type, paths);
          const conditionIsAbout = (path: string) => {
            const id = entityId(type, path);
            const { checkTags, exempt } = publish.rule;
            checkTags(
              [id],
              found.filter((one) => one.id === id),
            );
            exempt(paths.map((other) => entityId(type, other)));
          };
          const byPath = new Map(found.map(({ entity }) => [entity.path, entity as EntityOf<typeof type>]));
          return make(byPath, { conditionIsAbout });
        },
        options,
      ),
    rows: (type) => view.rows(type),
    getMany: async (type, paths) => (await stored(type, paths)).map(toRecord),
    deleteMany: (type, paths, options = {}) =>
      store.inTurn(async () => {
        const ids = checked(await stored(type, paths), await holderOf(publish, options));
        await checkMayDelete(publish, ids);
        return store.delete(ids);
      }),
    annotate: (type, key, values) =>
      store.inTurn(async () => {
        const found = await stored(type, [...values.keys()]);
        if (found.length === 0) return;
        checked(found);
        await store.annotate(found.map(({ id, entity }) => ({ id, key, value: values.get(entity.path) })));
      }),
    async annotated(type, key) {
      const notes = [...(await store.annotated(key))].map(([id, value]) => ({ ...splitEntityId(id), value }));
      return new Map(notes.filter((note) => note.type === type).map(({ path, value }) => [path, value]));
    },
  };
}
