import { titleOnOneLine } from '../text/decoded-file.ts';
import type { TextBuilder } from '../text/text-builder.ts';
import type { PdfLine } from './pdf-lines.ts';

/** On fewer pages, equal lines may be content. */
const MIN_PAGES = 3;
const MIN_SHARE = 0.1;
/** Of a header or footer. */
const MAX_LINES = 2;
/** In sizes of the letters: how far a header or footer is from the text. */
const MIN_GAP = 2;

/** Numbers count as equal: those of pages differ. */
const keyOf = (lines: readonly PdfLine[]): string =>
  lines
    .map(({ text }) => text.toLowerCase())
    .join('\n')
    .replaceAll(/\d+/g, '#');

/** Headings are larger than the text by at least this factor, and short. */
const HEADING_FACTOR = 1.15;
const MAX_HEADING_CHARS = 150;
const MAX_LEVELS = 4;
/** The dots between a title and its page number in a table of contents. */
const LEADER = /(?: ?\.){4,}/;
/** In distances of lines: a larger one begins a paragraph. */
const PARAGRAPH_GAP = 1.35;

/** In sizes of the letters: even text with double spacing has its lines closer. */
const MAX_PITCH = 3;

interface Paragraph {
  readonly text: string;
  readonly level: number | undefined;
}

/** Writes the pages of a PDF: paragraphs by the distance of lines, headings by the size of letters. */
export function writePages(builder: TextBuilder, all: readonly (readonly PdfLine[])[]): void {
  const least = bodySize(all) * HEADING_FACTOR;
  const pages = withoutRunningLines(all, least);
  const levelOf = headingLevels(pages, least);
  const pitch = usualPitch(pages);
  for (const lines of pages) {
    builder.startPage();
    const paragraphs = paragraphsOf(lines, levelOf, pitch);
    for (const [i, { text, level }] of paragraphs.entries()) {
      const next = paragraphs[i + 1];
      // Large letters with nothing below them are a slide, a cover or a figure, and no heading.
      const isAlone = next === undefined || (next.level !== undefined && next.level <= (level ?? 0));
      if (level === undefined || isAlone) builder.paragraph('text', text);
      else builder.heading(level, titleOnOneLine(text), text);
    }
  }
}

function paragraphsOf(
  lines: readonly PdfLine[],
  levelOf: (line: PdfLine) => number | undefined,
  pitch: number,
): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: PdfLine[] = [];
  let openLevel: number | undefined;
  const close = () => {
    if (open.length > 0) paragraphs.push({ text: joinLines(open), level: openLevel });
    open = [];
  };
  for (const line of lines) {
    const level = levelOf(line);
    const last = open.at(-1);
    const drop = last === undefined ? 0 : last.y - line.y;
    const isFar = drop < 0 || drop > PARAGRAPH_GAP * Math.max(pitch, line.size * 1.1);
    if (level !== openLevel || isFar) close();
    open.push(line);
    openLevel = level;
  }
  close();
  return paragraphs;
}

/** Words that were divided at the end of a line become whole again. */
function joinLines(lines: readonly PdfLine[]): string {
  let text = '';
  for (const line of lines) {
    const words = line.text.replace(LEADER, ' ...');
    if (text === '') text = words;
    else if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(words)) text = `${text.slice(0, -1)}${words}`;
    else text += `\n${words}`;
  }
  return text;
}

/** The size of letters that most of the text has. */
function bodySize(pages: readonly (readonly PdfLine[])[]): number {
  const chars = new Map<number, number>();
  for (const line of pages.flat()) {
    const size = rounded(line.size);
    chars.set(size, (chars.get(size) ?? 0) + line.text.length);
  }
  const [first] = [...chars].sort(([a, x], [b, y]) => y - x || a - b);
  return first?.[0] ?? 0;
}

function headingLevels(pages: readonly (readonly PdfLine[])[], least: number): (line: PdfLine) => number | undefined {
  const isHeading = ({ size, text }: PdfLine) =>
    rounded(size) >= least && text.length <= MAX_HEADING_CHARS && /\p{L}/u.test(text) && !LEADER.test(text);
  const sizes = new Set(pages.flatMap((lines) => lines.filter(isHeading).map(({ size }) => rounded(size))));
  const order = [...sizes].sort((a, b) => b - a);
  return (line) => (isHeading(line) ? Math.min(order.indexOf(rounded(line.size)) + 1, MAX_LEVELS) : undefined);
}

/** The most common distance of two lines. */
function usualPitch(pages: readonly (readonly PdfLine[])[]): number {
  const counts = new Map<number, number>();
  for (const lines of pages) {
    for (const [i, line] of lines.entries()) {
      const drop = i === 0 ? 0 : rounded(lines[i - 1]!.y - line.y);
      if (drop > 0 && drop <= MAX_PITCH * line.size) counts.set(drop, (counts.get(drop) ?? 0) + 1);
    }
  }
  const [first] = [...counts].sort(([a, x], [b, y]) => y - x || a - b);
  return first?.[0] ?? 0;
}

const rounded = (size: number): number => Math.round(size * 2) / 2;

/**
 * The pages without the headers and footers that many of them share, page numbers included: they would be a part of every
 * chunk at the edge of a page, and say nothing about it. Letters larger than `maxSize` are a heading and stay.
 */
function withoutRunningLines(pages: readonly (readonly PdfLine[])[], maxSize: number): PdfLine[][] {
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
