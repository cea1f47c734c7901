import type { Block, TableLayout } from '../read/document-reader.ts';
import { type Range, splitRange } from './split-range.ts';

/** A part of a table, and the header rows that are repeated above it. */
export interface TablePart extends Range {
  readonly header: string;
}

/**
 * Whole rows with the header above each part. A row that is too long alone is cut further. A header that leaves less than
 * half of a chunk to the rows is not repeated.
 */
export function splitTable(
  text: string,
  block: Block,
  { headerEnd, rowStarts }: TableLayout,
  maxChars: number,
): TablePart[] {
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
