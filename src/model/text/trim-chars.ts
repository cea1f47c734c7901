/**
 * Trims and splits by hand. An expression such as `/\/+$/` or `/\s+,/` tries each character of a long run as its start,
 * so that its time grows with the square of the run.
 */

/** The text without any of these characters at its end. */
export function trimEndChars(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The text without any of these characters at its start. */
export function trimStartChars(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text[start]!)) start++;
  return text.slice(start);
}

export const trimChars = (text: string, chars: string): string => trimStartChars(trimEndChars(text, chars), chars);

/** The text before the first of these characters. */
export function beforeChars(text: string, chars: string): string {
  for (let at = 0; at < text.length; at++) if (chars.includes(text[at]!)) return text.slice(0, at);
  return text;
}

/** The parts of a list with commas between, trimmed, without empty ones. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
