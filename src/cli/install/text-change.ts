import type { TextChange } from '../../sources/formats/json-with-comments.ts';

export function changed(text: string, changes: readonly TextChange[]): string {
  let from = 0;
  const parts = changes.map(({ at, removed, added }) => {
    const part = text.slice(from, at) + added;
    from = at + removed.length;
    return part;
  });
  return parts.join('') + text.slice(from);
}

/** The changes that lead back. */
export function inverseOf(changes: readonly TextChange[]): readonly TextChange[] {
  let shift = 0;
  return changes.map(({ at, removed, added }) => {
    const back = { at: at + shift, removed: added, added: removed };
    shift += added.length - removed.length;
    return back;
  });
}

/** The lines that go and come, `- ` or `+ ` before each. Of the rest nothing is shown: it may have keys of other servers. */
export function diffLines(text: string, changes: readonly TextChange[]): readonly string[] {
  const own = changes.flatMap(({ at, removed, added }) => {
    const indent = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, at))?.[1] ?? '';
    const signed = (part: string, sign: string) =>
      isBlank(part) ? [] : linesOf(indent + part).map((line) => `${sign} ${line}`);
    return [...signed(removed, '-'), ...signed(added, '+')];
  });
  const [first, last] = [changes[0], changes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const others = (part: string) => (part.trim() === '' ? [] : ['  …']);
  return [...others(text.slice(0, first.at)), ...own, ...others(text.slice(last.at + last.removed.length))];
}

const linesOf = (part: string): readonly string[] => part.split(/\r?\n/).filter((line) => !isBlank(line));

/** Nothing, or a comma alone. */
const isBlank = (part: string): boolean => ['', ','].includes(part.trim());
