/**
 * Character classes of the analyzer. Letters without case (Arabic, Devanagari, ...) count as lower case, so they never
 * split an identifier.
 */
const OTHER = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
/** Combining marks belong to the character before them. */
export const MARK = 5;
/** Scripts without spaces between words, and Hangul, where particles are attached to words. */
export const CJK = 6;

type CharacterClass = 1 | 2 | 3 | 4 | 5 | 6;

/** Used in both Hiragana and Katakana, so Unicode assigns it to neither script. */
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

/** Classes by code point, 0 if not known yet. Testing regular expressions for each character would be too slow. */
const cachedClasses = new Uint8Array(0x10000);

export function characterClass(codePoint: number): CharacterClass {
  if (codePoint > 0xffff) return classify(codePoint);
  let charClass = cachedClasses[codePoint]!;
  if (charClass === 0) {
    charClass = classify(codePoint);
    cachedClasses[codePoint] = charClass;
  }
  return charClass as CharacterClass;
}
