import { createHash } from 'node:crypto';
import { DowserError } from '../../model/errors.ts';
import type { Block, ReadDocument } from '../read/document-reader.ts';
import { type ChunkOptions, type DocumentChunk, MIN_CHUNK_CHARS } from './document-chunk.ts';
import { lineNumbers } from './line-numbers.ts';
import { headingSections, pageSections, type Section } from './sections.ts';
import { fixedRanges, type Range, splitRange } from './split-range.ts';
import { splitTable } from './split-table.ts';

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
