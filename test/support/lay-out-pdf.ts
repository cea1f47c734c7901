import { type PdfText, pdfFile } from './pdf-file.ts';

const LEFT = 60;
const TOP = 780;
const LINE = 13;
const LINE_CHARS = 88;
const COLUMN_CHARS = 40;
const COLUMN_X = [LEFT, 320] as const;
const CELL_WIDTH = 130;
const HEADING_SIZES: Readonly<Record<string, number>> = { '# ': 20, '## ': 14 };

/**
 * A PDF from plain text: pages between lines `=== page`, headings with `#`, tables with ` | ` between cells, and two columns,
 * written row by row, after a line `=== columns`.
 */
export function layOutPdf(text: string): Uint8Array {
  return pdfFile(text.trim().split('\n=== page\n').map(layOutPage));
}

/** The pages of a text, as the questions count them. */
export const pageCount = (text: string): number => text.split('\n=== page\n').length;

function layOutPage(page: string): PdfText[] {
  const texts: PdfText[] = [];
  let y = TOP;
  let isInColumns = false;
  for (const line of page.split('\n')) {
    const mark = Object.keys(HEADING_SIZES).find((start) => line.startsWith(start));
    if (line === '=== columns') isInColumns = true;
    else if (mark !== undefined) {
      texts.push({ text: line.slice(mark.length), x: LEFT, y, size: HEADING_SIZES[mark]! });
      y -= 3 * LINE;
    } else if (line.includes(' | ')) {
      for (const [i, cell] of line.split(' | ').entries()) texts.push({ text: cell, x: LEFT + i * CELL_WIDTH, y });
      y -= LINE;
    } else if (isInColumns) {
      const rows = wrapped(line, COLUMN_CHARS);
      const height = Math.ceil(rows.length / 2);
      for (let i = 0; i < height; i++) {
        for (const [column, x] of COLUMN_X.entries()) {
          const words = rows[column * height + i];
          if (words !== undefined) texts.push({ text: words, x, y });
        }
        y -= LINE;
      }
    } else {
      for (const words of wrapped(line, LINE_CHARS)) {
        texts.push({ text: words, x: LEFT, y });
        y -= LINE;
      }
      y -= LINE;
    }
  }
  return texts;
}

function wrapped(text: string, chars: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > chars) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines;
}
