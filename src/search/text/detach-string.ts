const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** V8 copies shorter substrings. A longer substring is a slice that keeps the whole source string in memory. */
const MIN_SLICE_LENGTH = 13;

/** Copies a word before it is kept in an index, so that the text it comes from can be freed. */
export function detachString(word: string): string {
  return word.length < MIN_SLICE_LENGTH ? word : decoder.decode(encoder.encode(word));
}
