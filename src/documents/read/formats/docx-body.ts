import { titleOnOneLine } from '../text/decoded-file.ts';
import { oneSpaced, type TextBuilder } from '../text/text-builder.ts';
import { outlineLevel } from './docx-styles.ts';
import type { XmlHandler } from './xml.ts';

interface Table {
  readonly rows: string[][];
  headerRows: number;
  cell: string[];
}

/** Text boxes are there twice, for old and new versions of Word. */
const SKIPPED = new Set(['mc:Fallback', 'w:del', 'w:moveFrom']);

/** The paragraphs and tables of a part of a DOCX file. */
export class DocxBody implements XmlHandler {
  readonly #builder: TextBuilder;
  readonly #levelOf: (styleId: string) => number | undefined;
  readonly #tables: Table[] = [];
  #words: string[] = [];
  #level: number | undefined;
  #isListItem = false;
  #isText = false;
  #skipped = 0;

  constructor(builder: TextBuilder, levelOf: (styleId: string) => number | undefined) {
    this.#builder = builder;
    this.#levelOf = levelOf;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (SKIPPED.has(tag)) this.#skipped++;
    if (this.#skipped > 0) return;
    const value = attributes['w:val'] ?? '';
    const table = this.#tables.at(-1);
    if (tag === 'w:t') this.#isText = true;
    else if (tag === 'w:tab') this.#words.push(' ');
    else if (tag === 'w:br' || tag === 'w:cr') this.#words.push('\n');
    else if (tag === 'w:noBreakHyphen') this.#words.push('-');
    else if (tag === 'w:pStyle') this.#level = this.#levelOf(value);
    else if (tag === 'w:outlineLvl') this.#level = outlineLevel(value);
    else if (tag === 'w:numPr') this.#isListItem = true;
    else if (tag === 'w:p') this.#startParagraph();
    else if (tag === 'w:tbl') this.#tables.push({ rows: [], headerRows: 0, cell: [] });
    else if (table === undefined) return;
    else if (tag === 'w:tr') table.rows.push([]);
    else if (tag === 'w:tc') table.cell = [];
    else if (tag === 'w:tblHeader' && table.headerRows === table.rows.length - 1) table.headerRows++;
  }

  close(tag: string): void {
    if (SKIPPED.has(tag)) this.#skipped--;
    if (this.#skipped > 0) return;
    if (tag === 'w:t') this.#isText = false;
    else if (tag === 'w:p') this.#endParagraph();
    else if (tag === 'w:tc') {
      const table = this.#tables.at(-1);
      table?.rows.at(-1)?.push(oneSpaced(table.cell.join(' ')));
    } else if (tag === 'w:tbl') this.#endTable();
  }

  say(words: string): void {
    if (this.#isText && this.#skipped === 0) this.#words.push(words);
  }

  /** A paragraph may begin inside another, in a text box. What the outer one has so far comes first. */
  #startParagraph(): void {
    if (this.#words.length > 0) this.#endParagraph();
    this.#level = undefined;
    this.#isListItem = false;
  }

  #endParagraph(): void {
    const lines = this.#words.join('').split('\n').map(oneSpaced);
    const text = lines.filter((line) => line !== '').join('\n');
    this.#words = [];
    const table = this.#tables.at(-1);
    if (text === '') return;
    if (table !== undefined) table.cell.push(text);
    else if (this.#level !== undefined) this.#builder.heading(this.#level, titleOnOneLine(text));
    else this.#builder.paragraph('text', this.#isListItem ? `- ${text}` : text);
  }

  /** The first row is the header where the table marks none: that is how most people write tables. */
  #endTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    const outer = this.#tables.at(-1);
    if (outer !== undefined) outer.cell.push(table.rows.map((row) => row.join(' ')).join(' '));
    else this.#builder.table(table.rows, Math.max(1, table.headerRows));
  }
}
