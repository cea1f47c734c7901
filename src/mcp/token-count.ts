/**
 * How many tokens a text costs a model, from above and without a tokenizer. Every model splits text differently, so this
 * is no count but a bound to plan with: written to lie over the byte-pair and word-piece tokenizers in use, and tested
 * against one (`test/e2e/mcp-tokens.test.ts`). It never exceeds the number of UTF-8 bytes, which no byte-level tokenizer can.
 *
 * The rules: a blank before a word is part of it. A word of Latin letters is cut at case changes, and its pieces cost one
 * token for every three letters begun, since tokenizers keep common words whole and rare ones in syllables. Digits cost one
 * each, as in the most careful tokenizers, every other ASCII character one, a line break one. Letters of other alphabets
 * cost one each, ideographs two, Korean syllables three for their letters, what lies outside the basic plane four bytes.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += pieceTokens(piece);
  return tokens;
}

const LETTERS_PER_TOKEN = 3;
/** Words with accents are rarer in every vocabulary, and an accent alone can cost a token. */
const ACCENTED_PER_TOKEN = 1.5;

/** Runs of blanks, Latin words cut at their humps, and everything else a character at a time. */
const PIECES = /[ \t]+|[A-Z]?[a-z]+|\p{Script=Latin}+|[\s\S]/gu;
const LATIN = /^\p{Script=Latin}/u;
const ENGLISH = /^[A-Za-z]+$/;

function pieceTokens(piece: string): number {
  const code = piece.codePointAt(0)!;
  // One blank joins the word after it; a longer run is a token of its own.
  if (code === 0x20 || code === 0x09) return piece === ' ' ? 0 : 1;
  if (LATIN.test(piece))
    return Math.ceil(piece.length / (ENGLISH.test(piece) ? LETTERS_PER_TOKEN : ACCENTED_PER_TOKEN));
  if (code < 0x1100) return 1;
  if (code >= 0xac00 && code <= 0xd7a3) return 3;
  if (code < 0x10000) return 2;
  return 4;
}

/** The longest beginning of a text that costs at most `limit`, cut at a word where one is near, with an ellipsis. */
export function cutToTokens(text: string, limit: number): string {
  if (countTokens(text) <= limit) return text;
  let low = 0;
  // A token has at most three letters and a blank here, so nothing beyond this can fit; a long text is not read twenty times.
  let high = Math.min(text.length - 1, limit * (LETTERS_PER_TOKEN + 1));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(ellipsed(text, middle)) <= limit) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : ellipsed(text, low);
}

/** How far back a blank is looked for. */
const WORD_WITHIN = 20;

/** The first `length` characters and an ellipsis; never half a character pair, and whole words where that costs little. */
export function ellipsed(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length;
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code <= 0xdbff) end--;
  const blank = text.lastIndexOf(' ', end);
  if (blank > end - WORD_WITHIN && blank > 0) end = blank;
  return `${text.slice(0, end).trimEnd()}…`;
}
