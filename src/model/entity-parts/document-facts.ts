/** Kept among the facets, so that stored facts need no other field. */
export const collectionKey = (name: string): string => `collection=${name.trim().toLowerCase()}`;

/** The collections of a document as filters and the index have them, without repeats. */
export function collectionFacets(document: {
  readonly files: readonly { readonly collection: string }[];
}): readonly string[] {
  return [...new Set(document.files.map(({ collection }) => collectionKey(collection)))];
}
