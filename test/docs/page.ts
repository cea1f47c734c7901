import { readFileSync } from 'node:fs';

export function page(name: string): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
}

/** The rows of every table of a page, a list of trimmed cells each; heads and rulers are left out. */
export function tableRows(markdown: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  return lines
    .filter((line, i) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line) && !/^\|[-|]+\|$/.test(lines[i + 1] ?? ''))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The part of a page under a heading of the second level. */
export function section(markdown: string, heading: string): string {
  const parts = markdown.split(/^## /m);
  const found = parts.find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`there is no section ${heading}`);
  return found;
}

export function headings(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
}
