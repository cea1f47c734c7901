import { hrefOf } from '../data/navigation.ts';

/** The address of the documents page. Without a collection: over all of them. */
export const documentsHref = (state: { readonly collection?: string; readonly mode?: 'ask'; readonly q?: string }) =>
  hrefOf('/ui/documents', state);
