interface QueryText {
  /** The query without its hashtags, with single spaces. */
  readonly text: string;
  /** In order, lower case, without `#` and without duplicates. */
  readonly hashtags: readonly string[];
}

/**
 * Splits a query into text and `#tag` words. A single `#` and `C#` stay text: a tag has a letter or digit after the `#`.
 * Words that are not tags by `isTag` stay text too, with their `#`.
 */
export function splitHashtags(query: string, isTag: (tag: string) => boolean = () => true): QueryText {
  if (!query.includes('#')) return { text: collapseSpaces(query), hashtags: [] };
  const hashtags = new Set<string>();
  const text = query.replace(/#([\p{L}\p{M}\p{N}_-]+)/gu, (hashtag, word: string) => {
    const tag = word.toLowerCase();
    if (!isTag(tag)) return hashtag;
    hashtags.add(tag);
    return ' ';
  });
  return { text: collapseSpaces(text), hashtags: [...hashtags] };
}

/** Most queries need no change, and testing is faster than replacing. */
const collapseSpaces = (text: string) =>
  (/\s{2}|[^\S ]/u.test(text) ? text.replace(/\s{2,}|[^\S ]/gu, ' ') : text).trim();
