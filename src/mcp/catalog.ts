import type { Registry } from '../registry/registry.ts';

/** What the tools need of a registry, wherever it runs: in this process, or behind the server that owns the data folder. */
export type Catalog = Pick<Registry, 'search' | 'get' | 'page' | 'health'>;
