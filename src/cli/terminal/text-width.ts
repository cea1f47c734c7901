/** Wide in the sense of Unicode's East Asian Width (UAX #11), and emoji: two cells each. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const INVISIBLE = /[\p{Mn}\p{Me}\p{Cf}]/u;

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

/** Stored text on one line: line breaks become blanks, and nothing in it can steer the terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** The same for text of several lines, such as a trace, which stay lines and keep their indent. */
export function eachOnOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => `${/^ */.exec(line)?.[0] ?? ''}${oneLine(line)}`)
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
