import { trimEndChars } from './trim-chars.ts';

/** About 256 tokens, the input of a sentence model, so that the vector covers the whole chunk. */
const CHUNK_MAX_CHARS = 1000;
const CHUNK_OVERLAP_CHARS = 100;

/** Where a chunk may end, best first: paragraph, line, sentence, word. */
const BOUNDARIES = ['\n\n', '\n', '. ', ' '];

function endOfWindow(text: string, start: number, max: number): number {
  const hardEnd = start + max;
  if (hardEnd >= text.length) return text.length;
  const earliest = start + Math.floor(max / 2);
  // Search the second half of the window only: searching the whole text would take quadratic time.
  const half = text.slice(earliest, hardEnd);
  for (const boundary of BOUNDARIES) {
    const at = half.lastIndexOf(boundary);
    if (at >= 0) return earliest + at + boundary.length;
  }
  const code = text.charCodeAt(hardEnd - 1);
  return code >= 0xd800 && code <= 0xdbff ? hardEnd - 1 : hardEnd;
}

/** Splits text into overlapping chunks that end at natural boundaries. Blank text has no chunk. */
export function chunkText(text: string, max = CHUNK_MAX_CHARS, overlap = CHUNK_OVERLAP_CHARS): readonly string[] {
  const clean = text.replaceAll('\r\n', '\n');
  const chunks: string[] = [];
  let start = 0;
  while (start < clean.length) {
    const end = endOfWindow(clean, start, max);
    const chunk = clean.slice(start, end).trim();
    if (chunk !== '') chunks.push(chunk);
    if (end >= clean.length) break;
    const back = clean.slice(start, Math.max(start, end - overlap)).lastIndexOf(' ');
    start = back > 0 ? start + back + 1 : end;
  }
  return chunks;
}

export interface MarkdownSection {
  /** The headings above it, outermost first, joined by ` > `. Empty before the first heading. */
  readonly heading: string;
  readonly text: string;
}

/** Splits Markdown at its ATX headings, outside code fences. A heading without text is no section. */
export function markdownSections(markdown: string): readonly MarkdownSection[] {
  const sections: MarkdownSection[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let fence = '';
  const flush = () => {
    const text = lines.join('\n').trim();
    if (text !== '') sections.push({ heading: path.filter((part) => part !== '').join(' > '), text });
    lines = [];
  };
  for (const line of markdown.replaceAll('\r\n', '\n').split('\n')) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
    }
    const heading = fence === '' ? /^(#{1,6})[ \t]+(\S.*)$/.exec(line) : null;
    if (heading === null) {
      lines.push(line);
      continue;
    }
    flush();
    const level = heading[1]!.length;
    path.length = Math.min(path.length, level - 1);
    while (path.length < level - 1) path.push('');
    // The marks at the end of a line close the heading. One that has only marks keeps the first.
    path.push(trimEndChars(heading[2]!, ' \t#') || '#');
  }
  flush();
  return sections;
}
