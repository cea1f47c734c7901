/**
 * What a character is to the analyzer. Letters without case (Arabic, Devanagari, ...) count as lower case: only a
 * change from lower to upper can be a border inside an identifier.
 */
export const OTHER = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
/** Combining marks belong to the character before them. */
export const MARK = 5;
/** Scripts written without spaces between words, and Hangul, whose words carry their grammar glued on. */
export const CJK = 6;

export type CharacterClass = 1 | 2 | 3 | 4 | 5 | 6;

/** The prolonged sound mark is shared by two scripts, so Unicode gives it to neither. */
const PROLONGED_SOUND_MARK = 0x30fc;

function classify(codePoint: number): CharacterClass {
  const char = String.fromCodePoint(codePoint);
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(char))
    return /[\p{L}\p{N}]/u.test(char) ? CJK : OTHER;
  if (codePoint === PROLONGED_SOUND_MARK) return CJK;
  if (/\p{Lu}/u.test(char)) return UPPER;
  if (/\p{L}/u.test(char)) return LOWER;
  if (/\p{N}/u.test(char)) return DIGIT;
  if (/\p{M}/u.test(char)) return MARK;
  return OTHER;
}

/** Asking a regular expression once for each character of a text would be most of the analyzer's time. */
const known = new Uint8Array(0x10000);

export function characterClass(codePoint: number): CharacterClass {
  if (codePoint > 0xffff) return classify(codePoint);
  let found = known[codePoint]!;
  if (found === 0) {
    found = classify(codePoint);
    known[codePoint] = found;
  }
  return found as CharacterClass;
}
