/** V8 copies shorter substrings. A longer substring is a slice that keeps the whole source string in memory. */
const MIN_SLICE_LENGTH = 13;

/** For the bytes of one word, at most three for each code unit. Grows with the longest word. */
let bytes = Buffer.alloc(3 * 256);

/** Copies a word before it is kept in an index, so that the text it comes from can be freed. */
export function detachString(word: string): string {
  if (word.length < MIN_SLICE_LENGTH) return word;
  if (bytes.length < 3 * word.length) bytes = Buffer.alloc(3 * word.length);
  return bytes.toString('utf8', 0, bytes.write(word));
}
