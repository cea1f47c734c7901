import { DowserError } from '../../model/errors/errors.ts';
import { PostingPool } from './postings/posting-pool.ts';
import { SortedWords } from './terms/term-lists.ts';

/** A snapshot of an index for disk: a few large arrays and texts by name. */
export type IndexParts = Readonly<Record<string, ArrayBufferView | string>>;

function corrupt(reason: string): DowserError {
  return new DowserError('STORE_CORRUPT', `The snapshot of the keyword index cannot be used: ${reason}.`, {
    hint: 'Delete the snapshot; the index is then built again from the stored units.',
  });
}

function textPart(parts: IndexParts, name: string): string {
  const part = parts[name];
  if (typeof part !== 'string') throw corrupt(`part '${name}' is missing or not text`);
  return part;
}

/** The part as an array. Copies the bytes only if they are not aligned. */
export function uint32Part(parts: IndexParts, name: string): Uint32Array {
  const part = bytesPart(parts, name);
  if (part.byteLength % 4 !== 0) throw corrupt(`part '${name}' has ${part.byteLength} bytes, not a multiple of 4`);
  const isAligned = part.byteOffset % 4 === 0;
  const { buffer, byteOffset } = isAligned ? part : part.slice();
  return new Uint32Array(buffer, byteOffset, part.byteLength / 4);
}

export function bytesPart(parts: IndexParts, name: string): Uint8Array {
  const part = parts[name];
  if (part === undefined || typeof part === 'string') throw corrupt(`part '${name}' is missing or not binary`);
  return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
}

/** Throws STORE_CORRUPT unless `holds`. Without these checks, inconsistent parts would give wrong results. */
export function expectPart(holds: boolean, reason: string): void {
  if (!holds) throw corrupt(reason);
}

/** The numbers of the header, which must have this format. */
export function headerPart(parts: IndexParts, format: number): Readonly<Record<string, number>> {
  const header = parseJson(textPart(parts, 'header'));
  expectPart(header.format === format, `it has format ${header.format}, not ${format}`);
  return header;
}

function parseJson(text: string): Readonly<Record<string, number>> {
  try {
    return JSON.parse(text);
  } catch {
    throw corrupt('its header is not JSON');
  }
}

/** Sorted words, one per line. An empty text has none. */
export function wordsPart(parts: IndexParts, name: string): SortedWords {
  return new SortedWords(textPart(parts, name));
}

/** Throws STORE_CORRUPT unless there is a posting list for each word and the lengths add up to the number of postings. */
export function postingsPart<P extends Uint32Array | Uint8Array>(parts: IndexParts, words: number, payload: P) {
  const lengths = uint32Part(parts, 'frequencies');
  const rows = uint32Part(parts, 'postingRows');
  expectPart(lengths.length === words, `${lengths.length} lists for ${words} words`);
  let total = 0;
  for (const length of lengths) total += length;
  expectPart(rows.length === total && payload.length === total, `lists do not add up to ${rows.length} postings`);
  return PostingPool.from({ lengths, rows, payload });
}
