/** Cuts a list of tokens and keeps its last one, the closing special token. */
export function cutTokens(ids: readonly number[], maxTokens: number): readonly number[] {
  if (ids.length <= maxTokens) return ids;
  return [...ids.slice(0, maxTokens - 1), ids.at(-1)!];
}

/** Most texts are shorter. Most texts of this length fill the window. */
const FIRST_READ_CHARS_PER_TOKEN = 32;
/** A word of over 100 characters is one unknown token. Cut in two, it may become up to 100 tokens: none may be used. */
const CUT_WORD_TOKENS = 100;

/**
 * The first `maxTokens` tokens of a text. Tokenizes no more of the text than needed, so that a book costs as little as a
 * page. The result is the same as tokenizing all of it.
 */
export function windowOf(
  text: string,
  maxTokens: number,
  tokenize: (text: string) => readonly number[],
): readonly number[] {
  let chars = maxTokens * FIRST_READ_CHARS_PER_TOKEN;
  while (chars < text.length) {
    const ids = tokenize(text.slice(0, chars));
    if (ids.length >= maxTokens + CUT_WORD_TOKENS + 2) return cutTokens(ids, maxTokens);
    chars *= 4;
  }
  return cutTokens(tokenize(text), maxTokens);
}
