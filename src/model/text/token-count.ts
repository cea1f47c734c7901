/**
 * An upper estimate of the tokens of a text, without a tokenizer. Models split text differently, so this is a limit to plan
 * with, not a count. It is meant to exceed the byte-pair and word-piece tokenizers in use, and is tested against one
 * (`test/e2e/mcp-tokens.test.ts`). It is never more than the number of UTF-8 bytes.
 *
 * The rules: a space before a word is part of the word. A word of Latin letters is split at case changes, and each piece
 * costs one token for every three letters, because tokenizers keep common words whole and split rare ones into syllables. A
 * digit, any other ASCII character and a line break cost one each. Letters of other alphabets cost one each, ideographs two,
 * Korean syllables three, and characters outside the basic plane four.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += pieceTokens(piece);
  return tokens;
}

/** Whether `countTokens` is at most `limit`. It stops there: a text may have megabytes. */
export function fitsTokens(text: string, limit: number): boolean {
  if (limit === Number.POSITIVE_INFINITY) return true;
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    tokens += pieceTokens(piece);
    if (tokens > limit) return false;
  }
  return true;
}

/** Longer texts are counted in parts of this size, evenly spread. */
const COUNTED_PARTS = 16;
const COUNTED_CHARS = 16_384;

/** `countTokens`, or about as many for a text of megabytes, which would hold up everyone. */
export function aboutTokens(text: string): { readonly tokens: number; readonly isExact: boolean } {
  if (text.length <= COUNTED_PARTS * COUNTED_CHARS) return { tokens: countTokens(text), isExact: true };
  const step = Math.floor((text.length - COUNTED_CHARS) / (COUNTED_PARTS - 1));
  let counted = 0;
  for (let part = 0; part < COUNTED_PARTS; part++) {
    counted += countTokens(text.slice(part * step, part * step + COUNTED_CHARS));
  }
  return { tokens: Math.round((counted * text.length) / (COUNTED_PARTS * COUNTED_CHARS)), isExact: false };
}

const LETTERS_PER_TOKEN = 3;
/** Words with accents are rarer in every vocabulary, and an accent can cost a token. */
const ACCENTED_PER_TOKEN = 1.5;

/** Runs of spaces, Latin words split at case changes, and any other character by itself. */
const PIECES = /[ \t]+|[A-Z]?[a-z]+|\p{Script=Latin}+|[\s\S]/gu;
const LATIN = /^\p{Script=Latin}/u;
const ENGLISH = /^[A-Za-z]+$/;

function pieceTokens(piece: string): number {
  const code = piece.codePointAt(0)!;
  // One space is part of the next word; a longer run is a token.
  if (code === 0x20 || code === 0x09) return piece === ' ' ? 0 : 1;
  if (LATIN.test(piece))
    return Math.ceil(piece.length / (ENGLISH.test(piece) ? LETTERS_PER_TOKEN : ACCENTED_PER_TOKEN));
  if (code < 0x1100) return 1;
  if (code >= 0xac00 && code <= 0xd7a3) return 3;
  if (code < 0x10000) return 2;
  return 4;
}

/** The longest start of a text within `limit`, cut between words if possible, with an ellipsis. */
export function cutToTokens(text: string, limit: number): string {
  if (fitsTokens(text, limit)) return text;
  let low = 0;
  // A token has at most three letters and a space, so nothing beyond this fits. It saves reading a long text many times.
  let high = Math.min(text.length - 1, limit * (LETTERS_PER_TOKEN + 1));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsTokens(ellipsed(text, middle), limit)) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : ellipsed(text, low);
}

/** The longest start of a text within the limit, without an ellipsis: at the end of a line, if one is near. For reading on. */
export function partWithin(text: string, limit: number): string {
  if (fitsTokens(text, limit)) return text;
  let low = 1;
  let high = Math.min(text.length - 1, limit * (LETTERS_PER_TOKEN + 1));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsTokens(text.slice(0, middle), limit)) low = middle;
    else high = middle - 1;
  }
  const line = text.lastIndexOf('\n', low - 1) + 1;
  if (line > low / 2) return text.slice(0, line);
  const isSplit = /[\ud800-\udbff]$/.test(text.slice(0, low));
  return text.slice(0, isSplit && low > 1 ? low - 1 : low + (isSplit ? 1 : 0));
}

/** How far back to look for a space. */
const WORD_WITHIN = 20;

/** The first `length` characters and an ellipsis. Never splits a surrogate pair, and prefers whole words. */
export function ellipsed(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length;
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code <= 0xdbff) end--;
  const space = text.lastIndexOf(' ', end);
  if (space > end - WORD_WITHIN && space > 0) end = space;
  return `${text.slice(0, end).trimEnd()}…`;
}
