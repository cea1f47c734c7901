/** V8 copies shorter substrings. A longer substring is a slice that keeps the whole source string in memory. */
const MIN_SLICE_LENGTH = 13;

/** For the bytes of a word, at most three for each code unit. A longer word has a buffer of its own. */
const WORD_BYTES = Buffer.alloc(3 * 256);

/** Copies a word before it is kept in an index, so that the text it comes from can be freed. */
export function detachString(word: string): string {
  if (word.length < MIN_SLICE_LENGTH) return word;
  const bytes = 3 * word.length <= WORD_BYTES.length ? WORD_BYTES : Buffer.alloc(3 * word.length);
  return bytes.toString('utf8', 0, bytes.write(word));
}
