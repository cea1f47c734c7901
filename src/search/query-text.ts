export interface QueryText {
  /** The query without its hashtags, blanks collapsed. */
  readonly text: string;
  /** Lower case, without `#`, each once, in order. */
  readonly hashtags: readonly string[];
}

/**
 * Cuts `#tag` words out of a query. A lone `#` and `C#` stay text: a tag has a letter or digit right behind its `#`. So do
 * words that `isTag` denies, as they are written.
 */
export function splitHashtags(query: string, isTag: (tag: string) => boolean = () => true): QueryText {
  if (!query.includes('#')) return { text: collapsed(query), hashtags: [] };
  const hashtags = new Set<string>();
  const text = query.replace(/#([\p{L}\p{M}\p{N}_-]+)/gu, (written, word: string) => {
    const tag = word.toLowerCase();
    if (!isTag(tag)) return written;
    hashtags.add(tag);
    return ' ';
  });
  return { text: collapsed(text), hashtags: [...hashtags] };
}

/** Most queries are tidy; only the others are worth rewriting. */
const collapsed = (text: string) => (/\s{2}|[^\S ]/u.test(text) ? text.replace(/\s{2,}|[^\S ]/gu, ' ') : text).trim();
