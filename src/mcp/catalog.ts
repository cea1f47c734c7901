import type { Memories } from '../memories/memories.ts';
import type { Registry } from '../registry/registry.ts';

/** The part of a registry that the tools use. It may run in this process or in the server that has the data folder. */
export type Catalog = Pick<Registry, 'search' | 'get' | 'page' | 'health'>;

/** The same with the memories. */
export type FullCatalog = Catalog & { readonly memories: Memories };
