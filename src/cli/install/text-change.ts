/** One replaced part of a text: what was there, and what is there now. */
export interface TextChange {
  readonly at: number;
  readonly removed: string;
  readonly added: string;
}

/** The smallest single part in which two texts differ. */
export function changeBetween(before: string, after: string): TextChange {
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at++;
  let end = 0;
  const room = Math.min(before.length, after.length) - at;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { at, removed: before.slice(at, before.length - end), added: after.slice(at, after.length - end) };
}

/** The text before the change. Undefined if the text is not what the change made. */
export function undone(text: string, { at, removed, added }: TextChange): string | undefined {
  if (text.slice(at, at + added.length) !== added) return undefined;
  return text.slice(0, at) + removed + text.slice(at + added.length);
}

const CONTEXT = 2;

/** Whole lines of a difference, with a few lines around them: `- `, `+ ` or two blanks before each. */
export function diffLines(before: string, after: string): readonly string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - from && a.at(-1 - end) === b.at(-1 - end)) end++;
  const kept = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [
    ...kept(a.slice(Math.max(0, from - CONTEXT), from)),
    ...a.slice(from, a.length - end).map((line) => `- ${line}`),
    ...b.slice(from, b.length - end).map((line) => `+ ${line}`),
    ...kept(a.slice(a.length - end, a.length - end + CONTEXT)),
  ];
}
