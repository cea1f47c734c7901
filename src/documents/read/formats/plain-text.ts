import type { Block, ReadDocument } from '../../contract/document-reader.ts';
import { type DecodedFile, titleFromName } from '../text/decoded-file.ts';

/** A block for each paragraph. */
export function readPlainText({ name, text }: DecodedFile): ReadDocument {
  return {
    title: titleFromName(name),
    format: 'text',
    text,
    blocks: paragraphs(text, 0, text.length),
    metadata: {},
    warnings: [],
  };
}

/** The runs of lines between blank lines. */
export function paragraphs(text: string, from: number, to: number): Block[] {
  const blocks: Block[] = [];
  let start = -1;
  let end = from;
  for (let at = from; at < to; ) {
    const lineEnd = endOfLine(text, at, to);
    if (isBlank(text, at, lineEnd)) {
      if (start >= 0) blocks.push({ kind: 'text', start, end });
      start = -1;
    } else {
      if (start < 0) start = at;
      end = lineEnd;
    }
    at = lineEnd + 1;
  }
  if (start >= 0) blocks.push({ kind: 'text', start, end });
  return blocks;
}

export function endOfLine(text: string, at: number, to: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 || found > to ? to : found;
}

export function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 9 && code !== 12 && code !== 0xa0) return false;
  }
  return true;
}
