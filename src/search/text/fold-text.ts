/** Letters that Unicode does not decompose, and how people type them on another keyboard. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ħ: 'h',
  Ħ: 'H',
  ŧ: 't',
  Ŧ: 'T',
  ŋ: 'n',
  Ŋ: 'N',
  ı: 'i',
  ς: 'σ',
};

const FOLDED_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Soft hyphens, zero-width joiners and byte order marks. They are invisible, so queries do not have them. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

/** Unicode blocks of diacritics. Marks of other scripts (Devanagari vowels, Thai tones) change the word, so they stay. */
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

const NOT_ASCII = /[^\0-\x7f]/u;

/** Gives text that looks the same one spelling. Keeps upper and lower case: identifiers are split by case later. */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .normalize('NFD')
    .replace(DIACRITICS, '')
    .normalize('NFKC')
    .replace(FOLDED_LETTER, (letter) => LETTERS[letter]!);
}

/** Lower case, with ς written as σ. `toLowerCase` chooses between the two by position in the word, so terms would differ. */
export function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
