import type { Documents } from '../../documents/contract/documents.ts';
import type { Memories } from '../../memories/memories.ts';
import type { Registry, ScopedRegistry } from '../../registry/contract/registry.ts';

/** The part of a registry that the tools use. It may run in this process or in the server that has the data folder. */
export type Catalog = Pick<
  Registry,
  | 'search'
  | 'get'
  | 'page'
  | 'health'
  | 'recommend'
  | 'recommendRespond'
  | 'getStack'
  | 'compare'
  | 'compatible'
  | 'reportOutcome'
  | 'call'
  | 'preflight'
  | 'readResult'
> &
  // A remote registry gets these warnings with its answers.
  Partial<Pick<ScopedRegistry, 'instructionWarnings'>>;

/** The same with the memories and the documents. */
export type FullCatalog = Catalog & { readonly memories: Memories; readonly documents: Documents };
