export interface QueryText {
  /** The query without its hashtags, blanks collapsed. */
  readonly text: string;
  /** Lower case, without `#`, each once, in order. */
  readonly hashtags: readonly string[];
}

/** Cuts `#tag` words out of a query. A lone `#` and `C#` stay text: a tag has a letter or digit right behind its `#`. */
export function splitHashtags(query: string): QueryText {
  const hashtags = new Set<string>();
  const text = query.replace(/#([\p{L}\p{M}\p{N}_-]+)/gu, (_, tag: string) => {
    hashtags.add(tag.toLowerCase());
    return ' ';
  });
  return { text: text.replace(/\s+/gu, ' ').trim(), hashtags: [...hashtags] };
}
