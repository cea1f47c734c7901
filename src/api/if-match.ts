/** Headers have lowercase names here. */
type IfMatchHeaders = { readonly 'if-match'?: string | undefined };

const TAG = /(?:W\/)?"([^"]*)"|\*/g;

/**
 * The tags of `W/"a", "b"`, or `*`. Weak and strong tags are equal here. A text that is no tag matches nothing: to ignore it
 * would overwrite.
 */
export function fromIfMatch({ 'if-match': header }: IfMatchHeaders): { readonly ifMatch?: readonly string[] } {
  if (header === undefined) return {};
  const tags = [...header.matchAll(TAG)].map(([whole, tag]) => tag ?? whole);
  return { ifMatch: tags.length === 0 ? [header.trim()] : tags };
}

export function toIfMatch(ifMatch: string | readonly string[] | undefined): IfMatchHeaders {
  if (ifMatch === undefined) return {};
  const tags = typeof ifMatch === 'string' ? [ifMatch] : ifMatch;
  return { 'if-match': tags.map((tag) => (tag === '*' ? tag : toEtag(tag))).join(', ') };
}

/** Weak: the same entity may be written in more than one way. */
export const toEtag = (tag: string): string => `W/"${tag}"`;
