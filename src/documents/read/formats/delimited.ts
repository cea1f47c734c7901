import type { ReadDocument } from '../../contract/document-reader.ts';
import { type DecodedFile, titleFromName } from '../text/decoded-file.ts';
import { isBlank } from './plain-text.ts';

/** A cell is shorter. A quote that is open longer than this was not the start of one. */
const MAX_QUOTED_CHARS = 100_000;
const DELIMITERS = [',', ';', '\t', '|'] as const;

export const readCsv = (file: DecodedFile): ReadDocument => readDelimited(file, 'csv', likelyDelimiter(file.text));
export const readTsv = (file: DecodedFile): ReadDocument => readDelimited(file, 'tsv', '\t');

/** One table. Its rows are the records of the file, also those with line breaks inside quotes. */
function readDelimited({ name, text }: DecodedFile, format: 'csv' | 'tsv', delimiter: string): ReadDocument {
  const rowStarts: number[] = [];
  let end = 0;
  for (let at = 0; at < text.length; ) {
    const recordEnd = endOfRecord(text, at, delimiter);
    if (!isBlank(text, at, recordEnd)) {
      rowStarts.push(at);
      end = recordEnd;
    }
    at = recordEnd + 1;
  }
  const document = { title: titleFromName(name), format, text, metadata: {}, warnings: [] };
  const start = rowStarts[0];
  if (start === undefined) return { ...document, blocks: [] };
  const headers = cellsOf(text.slice(start, rowStarts[1] ?? end).trimEnd(), delimiter);
  const hasHeader = rowStarts.length > 1 && headers.every((cell) => cell !== '' && Number.isNaN(Number(cell)));
  const table = hasHeader
    ? { headers, headerEnd: rowStarts[1]!, rowStarts: rowStarts.slice(1) }
    : { headers: [], headerEnd: start, rowStarts };
  return { ...document, blocks: [{ kind: 'table', start, end, table }] };
}

/** The delimiter that the first line has most of. */
function likelyDelimiter(text: string): string {
  const first = text.slice(0, endOfRecord(text, 0, ','));
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** The line break that ends the record, or the end of the text. */
function endOfRecord(text: string, start: number, delimiter: string): number {
  let isCellStart = true;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') return at;
    if (char === '"' && isCellStart) at = endOfQuoted(text, at) ?? at;
    isCellStart = char === delimiter;
  }
  return text.length;
}

/** The quote that closes the one at `open`. Undefined if there is none near: then the first is a part of the cell. */
function endOfQuoted(text: string, open: number): number | undefined {
  const limit = Math.min(text.length, open + MAX_QUOTED_CHARS);
  for (let at = open + 1; at < limit; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at++;
  }
  return undefined;
}

function cellsOf(record: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const closing = record[at] === '"' ? endOfQuoted(record, at) : undefined;
    const found = record.indexOf(delimiter, closing ?? at);
    const end = found < 0 ? record.length : found;
    const cell = closing === undefined ? record.slice(at, end) : record.slice(at + 1, closing).replaceAll('""', '"');
    cells.push(cell.trim());
    at = end + 1;
  }
  return cells;
}
