import type { EntityType } from '../model/entity.ts';
import type { EntityPage, EntityRecord, Registry } from '../registry/registry.ts';

/** What the tools need of a registry, wherever it runs: in this process, or behind the server that owns the data folder. */
export interface Catalog extends Pick<Registry, 'search' | 'get' | 'health'> {
  /** One page of one type, in the order of paths; `after` is the `cursor` of the page before. */
  page(query: CatalogPage): Promise<EntityPage>;
}

export interface CatalogPage {
  readonly type: EntityType;
  readonly after?: string;
  readonly limit: number;
}

export function toCatalog(registry: Pick<Registry, 'search' | 'get' | 'page' | 'health'>): Catalog {
  return {
    search: (request) => registry.search(request),
    get: (type, path) => registry.get(type, path),
    page: ({ type, ...query }) => registry.page({ ...query, types: [type] }),
    health: () => registry.health(),
  };
}

const PAGE = 500;

/** Every entity of some types, type by type in the order of paths, a page at a time. */
export async function* everyEntity(
  catalog: Pick<Catalog, 'page'>,
  types: readonly EntityType[],
): AsyncGenerator<EntityRecord> {
  for (const type of types) {
    let after: string | undefined;
    do {
      const page = await catalog.page({ type, limit: PAGE, ...(after === undefined ? {} : { after }) });
      yield* page.entities;
      after = page.cursor;
    } while (after !== undefined);
  }
}
