/** The registry's own list. The search leaves these out before it matches; shorter words go by their length. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the is are was were be been being have has had do does did will would could should may might can ' +
    'to of in on at by for with about as into through from what when where who which how why get set put'
  ).split(' '),
);

const SHORTEST = 3;
const NOT_WORD = /[^\p{L}\p{N}_]+/u;

/**
 * Query tokens for the registry's substring boost, by its own rules: cut at everything that is not a letter, a number
 * or `_`, keep what has more than two code points and is no stop word, lower-case. Order and repeats are kept: a
 * repeated token counts twice in a tool's coverage.
 */
export function boostTokens(query: string): readonly string[] {
  const tokens: string[] = [];
  for (const word of query.split(NOT_WORD)) {
    if (!isLongEnough(word)) continue;
    const token = word.toLowerCase();
    if (!STOP_WORDS.has(token)) tokens.push(token);
  }
  return tokens;
}

/** A code point takes one or two characters. */
function isLongEnough(word: string): boolean {
  return word.length >= 2 * SHORTEST || (word.length >= SHORTEST && [...word].length >= SHORTEST);
}
