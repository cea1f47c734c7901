import { Parser } from 'htmlparser2';
import { trimStartChars } from '../../../model/text/trim-chars.ts';
import type { ReadDocument } from '../../contract/document-reader.ts';
import { type DecodedFile, titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { metadataOf } from '../text/metadata.ts';
import { oneSpaced, TextBuilder } from '../text/text-builder.ts';

/** The rows of a table while its elements are read. */
class HtmlTable {
  readonly rows: string[][] = [];
  /** The rows at the top that have header cells only. */
  headerRows = 0;
  #isInCell = false;
  #hasOnlyHeaders = true;

  startRow(): void {
    this.#countHeader();
    this.rows.push([]);
    this.#hasOnlyHeaders = true;
  }

  startCell(isHeader: boolean): void {
    if (this.rows.length === 0) this.rows.push([]);
    this.#isInCell = true;
    if (!isHeader) this.#hasOnlyHeaders = false;
  }

  /** Words outside a cell are white space between tags. */
  endCell(words: string): void {
    if (this.#isInCell) this.rows.at(-1)!.push(words);
    this.#isInCell = false;
  }

  #countHeader(): void {
    const isNext = this.headerRows === this.rows.length - 1;
    if (isNext && this.#hasOnlyHeaders && this.rows.at(-1)!.length > 0) this.headerRows++;
  }
}

/** What is in these is no text to read. */
const SKIPPED = new Set(
  'script style template noscript svg math canvas iframe object select nav button dialog'.split(' '),
);
const BLOCKS = new Set(
  `address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main ol p
  section summary ul`.split(/\s+/),
);
const ITEM = '\n- ';
const META: Readonly<Record<string, string>> = { author: 'author', description: 'description', keywords: 'keywords' };

/** The readable text: no scripts, styles, navigation or hidden parts. */
export function readHtml({ name, text }: DecodedFile): ReadDocument {
  const page = new HtmlPage();
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => page.open(tag, attributes),
      onclosetag: (tag) => page.close(tag),
      ontext: (words) => page.say(words),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(text);
  page.flush();
  const { builder } = page;
  const title = builder.blocks.find(({ kind }) => kind === 'heading')?.title;
  return {
    title: page.title !== '' ? page.title : (title ?? titleFromName(name)),
    format: 'html',
    text: builder.text,
    blocks: builder.blocks,
    metadata: metadataOf(page.metadata),
    warnings: [],
  };
}

class HtmlPage {
  readonly builder = new TextBuilder();
  readonly metadata: Record<string, string> = {};
  title = '';
  #words: string[] = [];
  /** How many open elements are skipped, outermost first counted. */
  #skipped = 0;
  /** The open elements: whether each started a skip. */
  readonly #open: boolean[] = [];
  #pre = 0;
  #inTitle = false;
  readonly #tables: HtmlTable[] = [];

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    const skips = SKIPPED.has(tag) || isHidden(attributes);
    this.#open.push(skips);
    if (skips) this.#skipped++;
    if (this.#skipped > 0) return;
    if (tag === 'html' && attributes.lang !== undefined) this.metadata.language = attributes.lang;
    else if (tag === 'meta') this.#readMeta(attributes);
    else if (tag === 'img') this.say(` ${attributes.alt ?? ''} `);
    else if (tag === 'br') this.#words.push('\n');
    else if (tag === 'li') this.#words.push(ITEM);
    else if (tag === 'title') {
      this.flush();
      this.#inTitle = true;
    } else if (/^h[1-6]$/.test(tag)) this.flush();
    else if (tag === 'pre') {
      this.flush();
      this.#pre++;
    } else if (tag === 'table') {
      if (this.#tables.length === 0) this.flush();
      this.#tables.push(new HtmlTable());
    } else if (this.#tables.length > 0) this.#openInTable(tag);
    else if (BLOCKS.has(tag)) this.flush();
  }

  close(tag: string): void {
    const skips = this.#open.pop();
    if (this.#skipped > 0) {
      if (skips === true) this.#skipped--;
      return;
    }
    if (tag === 'title') {
      this.title = titleOnOneLine(this.#take(' '));
      this.#inTitle = false;
    } else if (/^h[1-6]$/.test(tag) && this.#tables.length === 0) {
      this.builder.heading(Number(tag[1]), titleOnOneLine(this.#take(' ')));
    } else if (tag === 'pre' && this.#pre > 0) {
      this.#pre--;
      if (this.#tables.length === 0)
        this.builder.paragraph('code', trimStartChars(this.#words.join('').trimEnd(), '\n'));
      if (this.#tables.length === 0) this.#words = [];
    } else if (tag === 'table') this.#closeTable();
    else if (this.#tables.length > 0) this.#closeInTable(tag);
    else if (BLOCKS.has(tag)) this.flush();
  }

  say(words: string): void {
    if (this.#skipped === 0) this.#words.push(this.#pre > 0 ? words : words.replace(/\s+/g, ' '));
  }

  flush(): void {
    if (this.#tables.length > 0 || this.#inTitle) return;
    // A list item whose text is in a paragraph of its own keeps its mark.
    const isItem = this.#words.findLast((words) => words.trim() !== '') === ITEM;
    this.builder.paragraph('text', this.#take('\n'));
    if (isItem) this.#words.push(ITEM);
  }

  #readMeta({ name, content }: Readonly<Record<string, string>>): void {
    const field = META[name?.toLowerCase() ?? ''];
    if (field !== undefined && content !== undefined) this.metadata[field] = content;
  }

  #openInTable(tag: string): void {
    const table = this.#tables.at(-1)!;
    if (tag === 'tr') table.startRow();
    else if (tag === 'td' || tag === 'th') {
      table.endCell(this.#take(' '));
      table.startCell(tag === 'th');
    } else this.#words.push(' ');
  }

  #closeInTable(tag: string): void {
    if (tag === 'td' || tag === 'th' || tag === 'tr') this.#tables.at(-1)!.endCell(this.#take(' '));
    else if (tag === 'caption') this.builder.paragraph('text', this.#take(' '));
    else this.#words.push(' ');
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    table.endCell(this.#take(' '));
    if (this.#tables.length > 0) this.#words.push(` ${table.rows.map((row) => row.join(' ')).join(' ')} `);
    else this.builder.table(table.rows, table.headerRows);
  }

  /** The words so far, with one space between words and `between` for line breaks. */
  #take(between: string): string {
    const lines = this.#words.join('').split('\n');
    this.#words = [];
    return lines
      .map(oneSpaced)
      .filter((line) => line !== '' && line !== '-')
      .join(between);
  }
}

function isHidden({ hidden, style, 'aria-hidden': ariaHidden }: Readonly<Record<string, string>>): boolean {
  if (hidden !== undefined || ariaHidden === 'true') return true;
  return style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}
