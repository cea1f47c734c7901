import { createHash } from 'node:crypto';
import { DowserError } from '../../model/errors/errors.ts';
import { type ChunkOptions, type DocumentChunk, MIN_CHUNK_CHARS } from '../contract/document-chunk.ts';
import type { Block, ReadDocument, TableLayout } from '../contract/document-reader.ts';
import { headingSections, pageSections, type Section } from './sections.ts';
import { fixedRanges, type Range, splitRange } from './split-range.ts';

/** A part of a table, and the header rows that are repeated above it. */
interface TablePart extends Range {
  readonly header: string;
}

const ID_DIGITS = 32;

/** A chunk before it has an id: a range of the text, and table headers to repeat above it. */
interface Part extends Range {
  readonly header: string;
}

/**
 * The chunks of a document, in reading order. Equal chunks are given once. Throws INVALID_REQUEST for options that do not
 * fit each other.
 */
export function chunkDocument(documentId: string, document: ReadDocument, options: ChunkOptions): DocumentChunk[] {
  checkOptions(options);
  const chunks: DocumentChunk[] = [];
  const seen = new Set<string>();
  const lineOf = lineNumbers(document.text);
  const add = (part: Part, headingPath: readonly string[], page: number | undefined) => {
    const { start, end } = trimmed(document.text, part);
    if (start === end) return;
    const own = document.text.slice(start, end);
    const text = part.header === '' ? own : `${part.header}\n${own}`;
    const context = headingPath.join(' > ');
    const hash = sha256(`${context}\0${text}`);
    if (seen.has(hash)) return;
    seen.add(hash);
    const lines = { fromLine: lineOf(start), toLine: lineOf(end - 1) };
    const position = { index: chunks.length, startChar: start, endChar: end, ...lines };
    chunks.push({
      id: sha256(`${documentId}\0${hash}`).slice(0, ID_DIGITS),
      text,
      context,
      headingPath,
      position: page === undefined ? position : { ...position, page },
      hash,
    });
  };
  if (options.strategy === 'headings') {
    for (const section of headingSections(document)) {
      for (const part of partsOf(document.text, section, options)) add(part, section.headingPath, section.page);
    }
    return chunks;
  }
  const { sections, pathAt } = pageSections(document);
  for (const section of sections) {
    for (const part of partsOf(document.text, section, options)) add(part, pathAt(part.start), section.page);
  }
  return chunks;
}

/** Throws INVALID_REQUEST. Exported for those who store options before there is a document. */
export function checkOptions({ maxChars, overlapChars }: ChunkOptions): void {
  const isWhole = Number.isInteger(maxChars) && Number.isInteger(overlapChars);
  if (!isWhole || maxChars < MIN_CHUNK_CHARS || overlapChars < 0) {
    throw new DowserError(
      'INVALID_REQUEST',
      `The chunk size ${maxChars} and the overlap ${overlapChars} must be whole numbers, at least ${MIN_CHUNK_CHARS} and 0.`,
    );
  }
  if (overlapChars <= maxChars / 2) return;
  throw new DowserError(
    'INVALID_REQUEST',
    `The overlap of ${overlapChars} characters is more than half of the chunk size of ${maxChars}.`,
    { hint: `Use an overlap of at most ${Math.floor(maxChars / 2)}, or larger chunks.` },
  );
}

function partsOf(text: string, section: Section, options: ChunkOptions): Part[] {
  const { blocks } = section;
  if (options.strategy === 'fixed') {
    const whole = { start: blocks[0]!.start, end: blocks.at(-1)!.end };
    return fixedRanges(text, whole, options).map((range) => ({ ...range, header: '' }));
  }
  const parts: Part[] = [];
  let run: Block[] = [];
  const flush = () => {
    if (run.length === 0) return;
    const whole = { start: run[0]!.start, end: run.at(-1)!.end };
    const starts = run.map(({ start }) => start);
    for (const range of splitRange(text, whole, options, starts)) parts.push({ ...range, header: '' });
    run = [];
  };
  for (const block of blocks) {
    if (block.table === undefined || block.end - block.start <= options.maxChars) run.push(block);
    else {
      flush();
      for (const part of splitTable(text, block, block.table, options.maxChars)) parts.push(part);
    }
  }
  flush();
  return parts;
}

/** Without blank lines around it and spaces behind it. The first line keeps its indent: code needs it. */
function trimmed(text: string, { start, end }: Range): Range {
  let last = end;
  while (last > start && isSpace(text.charCodeAt(last - 1))) last--;
  let first = start;
  for (let at = start; at < last && isSpace(text.charCodeAt(at)); at++) if (text[at] === '\n') first = at + 1;
  return { start: first, end: last };
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 0xa0 || code === 12;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Whole rows with the header above each part. A row that is too long alone is cut further. A header that leaves less than
 * half of a chunk to the rows is not repeated.
 */
function splitTable(text: string, block: Block, { headerEnd, rowStarts }: TableLayout, maxChars: number): TablePart[] {
  const own = text.slice(block.start, headerEnd).trimEnd();
  const header = own.length + 1 > maxChars / 2 ? '' : own;
  const room = header === '' ? maxChars : maxChars - header.length - 1;
  const parts: TablePart[] = [];
  // The first part has the header where it stands.
  let start = block.start;
  let end = headerEnd;
  const push = (range: Range) => {
    const hasOwnHeader = range.start === block.start || header === '';
    parts.push({ ...range, header: hasOwnHeader ? '' : header });
  };
  const flush = () => {
    if (end - start > maxChars) {
      for (const range of splitRange(text, { start, end }, { maxChars, overlapChars: 0 })) push(range);
    } else if (end > start) push({ start, end });
  };
  for (const [i, rowStart] of rowStarts.entries()) {
    const rowEnd = rowStarts[i + 1] ?? block.end;
    const isFirst = start === block.start;
    if (rowEnd - start <= (isFirst ? maxChars : room)) {
      end = rowEnd;
      continue;
    }
    // A header alone is no part: the row that did not fit beside it comes with the header repeated.
    if (end > headerEnd || header === '') flush();
    start = rowStart;
    end = rowEnd;
    if (end - start <= room) continue;
    for (const range of splitRange(text, { start, end }, { maxChars: room, overlapChars: 0 })) push(range);
    start = rowEnd;
  }
  if (end > start) flush();
  return parts;
}

/** The line of a character, from 1. Made once for a text. */
function lineNumbers(text: string): (char: number) => number {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return (char) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (breaks[middle]! < char) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
