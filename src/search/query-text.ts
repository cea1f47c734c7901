export interface QueryText {
  /** The query without its hashtags, blanks collapsed. */
  readonly text: string;
  /** Lower case, without `#`, each once, in order. */
  readonly hashtags: readonly string[];
}

/** Cuts `#tag` words out of a query. A lone `#` and `C#` stay text: a hashtag starts a word. */
export function splitHashtags(query: string): QueryText {
  const hashtags = new Set<string>();
  const text = query.replace(/(^|\s)#([\p{L}\p{N}_-]+)/gu, (_, before: string, tag: string) => {
    hashtags.add(tag.toLowerCase());
    return before;
  });
  return { text: text.replace(/\s+/gu, ' ').trim(), hashtags: [...hashtags] };
}
