import type { Store, StoredEntity } from '../engines/store.ts';
import { type Caller, mayRead } from '../model/caller/caller.ts';
import type { EntityRows } from './view/entity-view.ts';

/** Entities read at once when some of them may be hidden. */
const MIN_PAGE = 500;

/**
 * The store for one caller: its reads do not see hidden entities. Writes are unchanged. `annotationsOf` is not filtered: its
 * ids come from these reads.
 */
export function readableStore(store: Store, caller: Caller): Store {
  if (caller.readers === null) return store;
  const isReadable = ({ entity }: StoredEntity) => mayRead(caller, entity);
  const getMany: Store['getMany'] = async (ids) => (await store.getMany(ids)).filter(isReadable);
  return {
    ...store,
    getMany,
    // Fills the page, and takes the cursor from a readable entity: a short page or another cursor would reveal hidden ones.
    async scan({ limit, ...query }) {
      // Small pages would take one call for each hidden entity.
      const pageSize = Math.max(limit + 1, MIN_PAGE);
      const found: StoredEntity[] = [];
      let { after } = query;
      do {
        const page = await store.scan({ ...query, limit: pageSize, ...(after === undefined ? {} : { after }) });
        found.push(...page.entities.filter(isReadable));
        after = page.cursor;
      } while (found.length <= limit && after !== undefined);
      const entities = found.slice(0, limit);
      const last = entities.at(-1);
      return found.length > limit && last !== undefined ? { entities, cursor: last.id } : { entities };
    },
    async annotated(key) {
      const found = await store.annotated(key);
      const readable = await getMany([...found.keys()]);
      return new Map(readable.map(({ id }) => [id, found.get(id)]));
    },
  };
}

/** The same for the rows of lists and comparisons. */
export function readableRows(view: EntityRows, caller: Caller): EntityRows {
  if (caller.readers === null) return view;
  return { rows: async (type) => (await view.rows(type)).filter((row) => mayRead(caller, row)) };
}
