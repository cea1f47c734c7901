/** Letters that Unicode does not take apart, written as people type them without the right keyboard. */
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

const FOREIGN_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Soft hyphens, joiners and byte order marks: invisible, so nobody types them into a query. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

/**
 * Only the blocks of diacritics proper. Marks of other scripts (Devanagari vowels, Thai tones) carry the word and stay.
 */
const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

const NOT_ASCII = /[^\0-\x7f]/u;

/** One spelling for text that looks or reads the same. Keeps case: identifiers are split by it afterwards. */
export function foldText(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .normalize('NFD')
    .replace(DIACRITICS, '')
    .normalize('NFKC')
    .replace(FOREIGN_LETTER, (letter) => LETTERS[letter]!);
}

/** Lower case with one sigma: which of the two a capital becomes depends on its neighbors, and terms have none. */
export function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
