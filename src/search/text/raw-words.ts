/**
 * The lower-cased words of a text, with repeats, for the registry's substring match. A query token has word characters
 * only, so a text contains a token exactly when one of these words contains it.
 *
 * The text is lower-cased before it is split, as in the registry. U+0307 counts as a word character, because
 * lower-casing the Turkish capital İ produces it. No other letter has this problem.
 */
export function rawWords(text: string): readonly string[] {
  return text.toLowerCase().match(WORDS) ?? [];
}

const WORDS = /[\u0307\p{L}\p{N}_]+/gu;
