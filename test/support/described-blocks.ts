import type { ReadDocument } from '../../src/documents/contract/document-reader.ts';

/** The blocks of a document in short: kind, level and title, and the text. */
export function describedBlocks({ blocks, text }: ReadDocument): string[] {
  return blocks.map(({ kind, start, end, title, level, page }) => {
    const place = page === undefined ? '' : `p${page} `;
    const named = title === undefined ? '' : ` <${title}>`;
    const depth = level === undefined ? '' : ` ${level}`;
    return `${place}${kind}${depth}${named}: ${text.slice(start, end)}`;
  });
}
