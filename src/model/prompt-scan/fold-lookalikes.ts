/**
 * Undoes what hides words from a reader of text but not from a model: full-width and styled letters, letters of other
 * alphabets that look Latin, invisible characters, tags that spell ASCII, and accents.
 */

// Letters that look like Latin ones in common fonts: Cyrillic, Greek, Armenian, Cherokee, small capitals, IPA.
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    [
      ['a', 'аαɑᴀАΑ'],
      ['b', 'ЬвɓʙВΒᏏ'],
      ['c', 'сϲᴄСⅽ'],
      ['d', 'ԁɗᴅ'],
      ['e', 'еёεєᴇЕΕ'],
      ['g', 'ɡցɢԌ'],
      ['h', 'һհʜНΗ'],
      ['i', 'іїιɩɪІΙ'],
      ['j', 'јϳᴊЈ'],
      ['k', 'кκᴋКΚ'],
      ['l', 'ӏⅼʟ'],
      ['m', 'мᴍМΜ'],
      ['n', 'пոηɴΝ'],
      ['o', 'оοσօᴏОΟ'],
      ['p', 'рρᴘРΡ'],
      ['q', 'ԛզ'],
      ['r', 'гʀⲅ'],
      ['s', 'ѕꜱЅ'],
      ['t', 'тτᴛТΤ'],
      ['u', 'υսᴜ'],
      ['v', 'ѵνᴠ'],
      ['w', 'ԝωᴡ'],
      ['x', 'хχХΧ'],
      ['y', 'уүγʏУΥ'],
      ['z', 'ᴢΖ'],
    ] as const
  ).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin])),
);
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'gu');

/** Digits and signs in place of letters: `1gn0re`. */
const DIGITS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const INVISIBLE = /\p{Cf}|\u034f|\u115f|\u1160|\u3164|\uffa0|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;
const TAG = /[\u{e0020}-\u{e007e}]/gu;

/** Letters and blanks as they are meant: NFKC, tags as ASCII, nothing invisible. For text of any language. */
export function seenText(text: string): string {
  return text
    .replaceAll(TAG, (tag) => String.fromCharCode(tag.codePointAt(0)! - 0xe0000))
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '');
}

/** The same with Latin letters in place of those that look like them, and without accents. For English only. */
export function latinText(seen: string): string {
  return seen
    .normalize('NFD')
    .replaceAll(/\p{Mn}+/gu, '')
    .replaceAll(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter);
}

/** Letters with single signs in between: `i g n o r e`. */
const SPELLED = /\b(?:\p{L}[ ._*-]){3,40}\p{L}\b/gu;
/** Where one may begin. Most texts have none, and looking is faster. */
const MAY_BE_SPELLED = /(?:[^\n -~]|[a-z])[ ._*-](?:[^\n -~]|[a-z])[ ._*-](?:[^\n -~]|[a-z])[ ._*-]/i;
const MIXED_WORD = /[\p{L}\d@$!]+/gu;
const MAY_BE_MIXED = /[013457@$!](?:[^\n -~]|[a-z])|(?:[^\n -~]|[a-z])[013457@$!]/i;

/** Words with digits for letters, `1gn0re`, and spelled ones, `i g n o r e` or `i.g.n.o.r.e`, as words. */
export function unspelledText(latin: string): string {
  const joined = MAY_BE_SPELLED.test(latin)
    ? latin.replaceAll(SPELLED, (spelled) => spelled.replaceAll(/[ ._*-]/g, ''))
    : latin;
  if (!MAY_BE_MIXED.test(joined)) return joined;
  return joined.replaceAll(MIXED_WORD, (word) =>
    /\p{L}/u.test(word) ? word.replaceAll(/[013457@$!]/g, (sign) => DIGITS[sign] ?? sign) : word,
  );
}
