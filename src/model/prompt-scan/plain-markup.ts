/** Undoes the markup of HTML and Markdown that hides words from a pattern: what a reader of the page would see. */

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  colon: ':',
  comma: ',',
  gt: '>',
  lt: '<',
  nbsp: ' ',
  newline: '\n',
  period: '.',
  quot: '"',
  shy: '',
  tab: ' ',
  zwj: '',
  zwnj: '',
};
const LAST_CODE_POINT = 0x10ffff;

/** `&lt;`, `&#97;` and `&#x61;` as the characters that they stand for. Unknown ones stay. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
  });
}

/** Tags inside of words. All others end a word. */
const INLINE_TAG = /<\/?(?:a|b|code|em|font|i|mark|s|small|span|strong|sub|sup|u|wbr)(?: [^<>]{0,200})?>/gi;
const TAG = /<\/?[a-z][^<>]{0,200}>/gi;
const LINK_TARGET = /\]\([^()\s]{0,500}\)/g;
const EMPHASIS = /[*`~]+/g;
/** Signs between words that a phrase has none of. */
const BETWEEN = /[_,"'“”„«»()[\]{}|\\]|\.{2,}|…|-{2,}|[–—]/g;
const HAS_MARKS = /[*`~<_,"“”„«»()[\]{}|\\…–—]|\.\.|--/;

/** The words without tags, emphasis, links, brackets, quotation marks and commas. */
export function plainWords(text: string): string {
  if (!HAS_MARKS.test(text)) return text;
  const untagged = text.includes('<') ? text.replaceAll(INLINE_TAG, '').replaceAll(TAG, ' ') : text;
  return untagged.replaceAll(LINK_TARGET, '').replaceAll(EMPHASIS, '').replaceAll(BETWEEN, ' ');
}
