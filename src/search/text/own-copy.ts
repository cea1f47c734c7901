const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** V8 copies shorter pieces of a string; a longer piece is a view that keeps the whole string alive. */
const SHORTEST_VIEW = 13;

/** The word in memory of its own: what is kept must not hold on to the text that it was cut out of. */
export function ownCopy(word: string): string {
  return word.length < SHORTEST_VIEW ? word : decoder.decode(encoder.encode(word));
}
