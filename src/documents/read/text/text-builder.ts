import type { Block } from '../../contract/document-reader.ts';

/** Collects the readable text of a format whose file is not text itself. Blocks are separated by a blank line. */
export class TextBuilder {
  readonly blocks: Block[] = [];
  readonly pageStarts: number[] = [];
  readonly #parts: string[] = [];
  #length = 0;

  get text(): string {
    return this.#parts.join('');
  }

  get length(): number {
    return this.#length;
  }

  /** What follows is on the next page. */
  startPage(): void {
    this.#separate();
    this.pageStarts.push(this.#length);
  }

  heading(level: number, title: string, text = title): void {
    if (title !== '') this.#push({ kind: 'heading', ...this.#add(text), level, title });
  }

  paragraph(kind: 'text' | 'code', text: string): void {
    if (text.trim() !== '') this.#push({ kind, ...this.#add(text) });
  }

  /** Rows of cells, one line each. A table of one column is a list of paragraphs. */
  table(rows: readonly (readonly string[])[], headerRows: number): void {
    const filled = rows.filter((row) => row.some((cell) => cell !== ''));
    if (filled.every((row) => row.length < 2)) {
      for (const [cell] of filled) this.paragraph('text', cell ?? '');
      return;
    }
    const lines = filled.map((row) => row.join(' | ').trim());
    const start = this.#add(lines.join('\n'));
    const rowStarts: number[] = [];
    let at = start.start;
    for (const line of lines) {
      rowStarts.push(at);
      at += line.length + 1;
    }
    const heads = Math.min(headerRows, filled.length);
    const headers = heads === 0 ? [] : [...filled[0]!];
    const headerEnd = heads === 0 ? start.start : (rowStarts[heads] ?? start.end);
    this.#push({ kind: 'table', ...start, table: { headers, headerEnd, rowStarts: rowStarts.slice(heads) } });
  }

  #add(text: string): { start: number; end: number } {
    if (this.#length > (this.pageStarts.at(-1) ?? 0)) this.#separate();
    const start = this.#length;
    this.#write(text);
    return { start, end: this.#length };
  }

  #separate(): void {
    if (this.#length > 0 && !this.#endsBlank) this.#write('\n\n');
  }

  get #endsBlank(): boolean {
    return this.#parts.at(-1) === '\n\n';
  }

  #push(block: Block): void {
    const page = this.pageStarts.length;
    this.blocks.push(page === 0 ? block : { ...block, page });
  }

  #write(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Text with every run of spaces as one space. */
export const oneSpaced = (text: string): string =>
  text
    .split(/[\s\u00a0]+/)
    .join(' ')
    .trim();
