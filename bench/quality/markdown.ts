export const three = (value: number) => value.toFixed(3);
export const signed = (value: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
export const bold = (text: string) => (text === '' ? '' : `**${text}**`);
export const range = ([low, high]: readonly [number, number]) => `${three(low)} to ${three(high)}`;

/** A table: names on the left, figures on the right. Columns whose head ends with `<` are text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head.map((cell) => cell.replace(/<$/, ''))),
    line(head.map((cell) => (cell.endsWith('<') ? '---' : '--:'))),
    ...rows.map(line),
  ];
}

/** The parts of a page by their headings of the second level; what stands before the first is under ''. */
export function partsOf(markdown: string): ReadonlyMap<string, string> {
  const [intro = '', ...parts] = markdown.split(/^## /m);
  return new Map([['', intro], ...parts.map((part): [string, string] => [part.slice(0, part.indexOf('\n')), part])]);
}
