/**
 * The runs of word characters in a text, lower-cased, with repeats: what the registry's substring match looks into.
 *
 * A query token is made of word characters only, so it is inside a text exactly when it is inside one of these runs.
 * The whole text is lower-cased first, as the match does it, and U+0307 counts as a word character: it is what
 * lower-casing makes of the dot of a Turkish capital İ, and the only such case in Unicode.
 */
export function rawWords(text: string): readonly string[] {
  return text.toLowerCase().match(WORDS) ?? [];
}

const WORDS = /[\u0307\p{L}\p{N}_]+/gu;
