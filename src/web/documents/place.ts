import type { FoundChunk } from '../api.ts';

/** Where a chunk is in its document: `page 3`, or `lines 10 to 20`. */
export function placeText({ page, from_line: from, to_line: to }: FoundChunk['position']): string {
  if (page !== null) return `page ${page}`;
  return from === to ? `line ${from}` : `lines ${from} to ${to}`;
}
