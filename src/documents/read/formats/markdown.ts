import { trimEndChars } from '../../../model/text/trim-chars.ts';
import { type FrontMatter, readFrontMatter } from '../../../sources/formats/front-matter.ts';
import type { Block, ReadDocument } from '../../contract/document-reader.ts';
import { type DecodedFile, titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { metadataOf } from '../text/metadata.ts';
import { endOfLine, isBlank } from './plain-text.ts';

/** Longer lines are no delimiter row. */
const MAX_DELIMITER_CHARS = 2000;

/** Front matter, headings, tables, fenced code and paragraphs. The text is the file as it is. */
export function readMarkdown({ name, text }: DecodedFile): ReadDocument {
  const { front, warnings } = frontMatterOf(text);
  const blocks = markdownBlocks(text, front === null ? 0 : text.length - front.body.length);
  const metadata = metadataOf(front?.fields ?? {});
  const headings = blocks.filter(({ kind }) => kind === 'heading');
  const heading = headings.find(({ level }) => level === 1) ?? headings[0];
  const given = typeof metadata.title === 'string' ? titleOnOneLine(metadata.title) : '';
  return {
    title: given !== '' ? given : (heading?.title ?? titleFromName(name)),
    format: 'markdown',
    text,
    blocks,
    metadata,
    warnings,
  };
}

function frontMatterOf(text: string): { front: FrontMatter | null; warnings: readonly string[] } {
  try {
    const front = readFrontMatter(text);
    return { front, warnings: front?.warnings ?? [] };
  } catch {
    return { front: null, warnings: ['The front matter is too long. It was read as text.'] };
  }
}

function markdownBlocks(text: string, from: number): Block[] {
  const to = text.length;
  const blocks: Block[] = [];
  let paragraph = -1;
  let paragraphEnd = 0;
  const endParagraph = () => {
    if (paragraph >= 0) blocks.push({ kind: 'text', start: paragraph, end: paragraphEnd });
    paragraph = -1;
  };
  for (let at = from; at < to; ) {
    const end = endOfLine(text, at, to);
    const line = text.slice(at, end);
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const title = atxTitle(line);
    if (fence !== undefined) {
      endParagraph();
      const close = endOfFence(text, end + 1, to, fence);
      blocks.push({ kind: 'code', start: at, end: close });
      at = close + 1;
    } else if (title !== null) {
      endParagraph();
      blocks.push({ kind: 'heading', start: at, end, title: title.title, level: title.level });
      at = end + 1;
    } else if (
      paragraph >= 0 &&
      /^ {0,3}(?:=+|-{2,})[ \t]*$/.test(line) &&
      !text.slice(paragraph, paragraphEnd).includes('\n')
    ) {
      const words = plainTitle(text.slice(paragraph, paragraphEnd));
      const level = line.trimStart().startsWith('=') ? 1 : 2;
      if (words !== '') blocks.push({ kind: 'heading', start: paragraph, end, title: words, level });
      paragraph = -1;
      at = end + 1;
    } else if (line.includes('|') && isDelimiterRow(text, end + 1, to)) {
      endParagraph();
      const table = tableAt(text, at, end, to);
      blocks.push(table);
      at = table.end + 1;
    } else {
      if (isBlank(line, 0, line.length)) endParagraph();
      else {
        if (paragraph < 0) paragraph = at;
        paragraphEnd = end;
      }
      at = end + 1;
    }
  }
  endParagraph();
  return blocks;
}

/** `## Title`, with a space and words: `##Title` and a bare `##` are text. */
function atxTitle(line: string): { title: string; level: number } | null {
  const [, marks, rest] = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line) ?? [];
  if (marks === undefined || rest === undefined) return null;
  let words = rest.trimEnd();
  const trimmed = trimEndChars(words, '#');
  if (trimmed === '' || /[ \t]$/.test(trimmed)) words = trimmed.trimEnd();
  const title = plainTitle(words);
  return title === '' ? null : { title, level: marks.length };
}

/** A heading without its inline marks. */
function plainTitle(words: string): string {
  return titleOnOneLine(words)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]+|(?<!\w)__?|__?(?!\w)/g, '')
    .trim();
}

/** The end of the line that closes a fence, or of the text. */
function endOfFence(text: string, from: number, to: number, fence: string): number {
  let end = Math.min(from, to);
  for (let at = from; at < to; at = end + 1) {
    end = endOfLine(text, at, to);
    const close = text.slice(at, end).trim();
    if (close.startsWith(fence) && close === fence[0]!.repeat(close.length)) return end;
  }
  return end;
}

function tableAt(text: string, start: number, firstLineEnd: number, to: number): Block {
  const delimiterEnd = endOfLine(text, firstLineEnd + 1, to);
  const rowStarts: number[] = [];
  let end = delimiterEnd;
  for (let at = delimiterEnd + 1; at < to; ) {
    const lineEnd = endOfLine(text, at, to);
    const line = text.slice(at, lineEnd);
    if (!line.includes('|')) break;
    rowStarts.push(at);
    end = lineEnd;
    at = lineEnd + 1;
  }
  const headers = cellsOf(text.slice(start, firstLineEnd));
  return { kind: 'table', start, end, table: { headers, headerEnd: delimiterEnd, rowStarts } };
}

/** The row of dashes below a header: `|---|:--:|`. */
function isDelimiterRow(text: string, at: number, to: number): boolean {
  if (at >= to) return false;
  const end = endOfLine(text, at, to);
  if (end - at > MAX_DELIMITER_CHARS) return false;
  const line = text.slice(at, end).trim();
  return line.includes('-') && line.includes('|') && cellsOf(line).every((cell) => /^:?-+:?$/.test(cell));
}

/** The cells of a row. `\|` is a part of its cell. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const trimmed = line.trim();
  for (let i = trimmed.startsWith('|') ? 1 : 0; i < trimmed.length; i++) {
    const char = trimmed[i]!;
    if (char === '\\' && trimmed[i + 1] === '|') {
      cell += '|';
      i++;
    } else if (char === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  if (cell.trim() !== '') cells.push(cell.trim());
  return cells;
}
