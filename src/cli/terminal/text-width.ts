/** Wide in the sense of Unicode's East Asian Width (UAX #11), and emoji: two cells each. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** The width of a tab depends on its column, which is not known here. */
const TAB = '    ';

function cells(char: string): number {
  if (INVISIBLE.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

/** How many cells a line of text takes on a terminal. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += cells(char);
  return width;
}

/** Stored text on one line: line breaks become blanks, and control characters are removed. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** The same for text of several lines, such as a stack trace. Lines and blanks are kept. */
export function eachOnOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line
        .replaceAll('\t', TAB)
        .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
        .trimEnd(),
    )
    .join('\n');
}

/** At most `width` cells, with an ellipsis where something was cut. */
export function cut(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const char of text) {
    used += cells(char);
    if (used > width) break;
    kept += char;
  }
  return width < 1 ? '' : `${kept.trimEnd()}…`;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/**
 * Lines of at most `width` cells, broken at blanks. A word that is longer than a line is broken at the end of the line. Later
 * lines have the indent of the first.
 */
export function wrap(text: string, width: number): readonly string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  // An indent must leave half of the line, and two cells for a wide character.
  const start = indent.length > Math.min(width / 2, width - 2) ? '' : indent;
  const room = Math.max(2, width - start.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (textWidth(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, room);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return [...lines, line].map((text) => `${start}${text}`.trimEnd());
}

/** A word in pieces of at most `width` cells. A line has at least the two cells of a wide character. */
function broken(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const char of word) {
    const more = cells(char);
    if (used + more > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += char;
    used += more;
  }
  return [...pieces, piece];
}
