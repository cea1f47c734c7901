import { trimEndChars } from '../../model/text/trim-chars.ts';

/** One line of at most `maxChars` code points, cut between words if possible. */
export function clipText(text: string, maxChars: number): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= maxChars) return line;
  const cut = characters.slice(0, maxChars - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${trimEndChars(space > cut.length / 2 ? cut.slice(0, space) : cut, ' ,;:')}…`;
}

/** The text unchanged if it fits, else clipped to one line. */
export function fittingText(text: string, maxChars: number): string {
  const fits = text.trim() !== '' && !/[^\P{Cc}\n\t]/u.test(text) && Array.from(text).length <= maxChars;
  return fits ? text : clipText(text, maxChars);
}

/** An http or https address, or undefined. Clients may open it. */
export function webUrl(text: string | undefined): string | undefined {
  const said = text?.trim() ?? '';
  if (!/^https?:\/\//i.test(said) || !URL.canParse(said)) return undefined;
  return /^[\x21-\x7e]+$/.test(said) ? said : new URL(said).href;
}
