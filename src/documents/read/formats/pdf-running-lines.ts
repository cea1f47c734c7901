import type { PdfLine } from './pdf-lines.ts';

/** On fewer pages, equal lines may be content. */
const MIN_PAGES = 3;
const MIN_SHARE = 0.1;
/** Of a header or footer. */
const MAX_LINES = 2;
/** In sizes of the letters: how far a header or footer is from the text. */
const MIN_GAP = 2;

/**
 * The pages without the headers and footers that many of them share, page numbers included: they would be a part of every
 * chunk at the edge of a page, and say nothing about it. Letters larger than `maxSize` are a heading and stay.
 */
export function withoutRunningLines(pages: readonly (readonly PdfLine[])[], maxSize: number): PdfLine[][] {
  const headless = withoutShared(pages, (lines) => edgeOf(lines, maxSize));
  const reversed = headless.map((lines) => lines.toReversed());
  return withoutShared(reversed, (lines) => edgeOf(lines, maxSize)).map((lines) => lines.toReversed());
}

function withoutShared(
  pages: readonly (readonly PdfLine[])[],
  edge: (lines: readonly PdfLine[]) => readonly PdfLine[],
): PdfLine[][] {
  const counts = new Map<string, number>();
  const keys = pages.map((lines) => keyOf(edge(lines)));
  for (const key of keys) if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  const least = Math.max(MIN_PAGES, pages.length * MIN_SHARE);
  return pages.map((lines, i) => ((counts.get(keys[i]!) ?? 0) >= least ? lines.slice(edge(lines).length) : [...lines]));
}

/** The first lines of a page, if a gap separates them from the rest, and the rest has text besides headings. */
function edgeOf(lines: readonly PdfLine[], maxSize: number): readonly PdfLine[] {
  for (let count = 1; count <= MAX_LINES && count < lines.length; count++) {
    const last = lines[count - 1]!;
    if (last.size > maxSize) return [];
    if (Math.abs(last.y - lines[count]!.y) < MIN_GAP * last.size) continue;
    return lines.slice(count).some(({ size }) => size <= maxSize) ? lines.slice(0, count) : [];
  }
  return [];
}

/** Numbers count as equal: those of pages differ. */
const keyOf = (lines: readonly PdfLine[]): string =>
  lines
    .map(({ text }) => text.toLowerCase())
    .join('\n')
    .replaceAll(/\d+/g, '#');
