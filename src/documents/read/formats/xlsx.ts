import type { ReadDocument, ReadLimits } from '../../contract/document-reader.ts';
import { titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { ReadProblem } from '../text/read-problem.ts';
import { oneSpaced, TextBuilder } from '../text/text-builder.ts';
import { officeMetadata, relationsOf, XML_SHARE } from './office-parts.ts';
import { readXml } from './xml.ts';
import { ZipArchive } from './zip-archive.ts';

const WORKBOOK = 'xl/workbook.xml';
/** Cells further right have no gap before them: a sheet may name one cell in column 16,384. */
const MAX_GAP_COLUMNS = 256;
/** The longest text that Excel keeps in a cell. */
const MAX_CELL_CHARS = 32_767;

/** A heading and a page for each sheet, with its cells as a table. Formulas are read as their last value, dates as ISO 8601. */
export function readXlsx(name: string, bytes: Uint8Array, { maxMemoryBytes, maxPages }: ReadLimits): ReadDocument {
  const archive = new ZipArchive(name, bytes, maxMemoryBytes * XML_SHARE);
  const workbook = archive.text(WORKBOOK);
  if (workbook === null) throw new ReadProblem('unsupported', `${name} is an archive, and not an XLSX file.`);
  const { sheets, is1904 } = sheetsIn(workbook);
  if (sheets.length > maxPages) {
    throw new ReadProblem('too_many_pages', `${name} has ${sheets.length} sheets, and the limit is ${maxPages}.`);
  }
  const paths = new Map(relationsOf(archive, WORKBOOK).map(({ id, path }) => [id, path]));
  const strings = sharedStrings(archive.text('xl/sharedStrings.xml') ?? '');
  const formats = dateStyles(archive.text('xl/styles.xml') ?? '');
  const builder = new TextBuilder();
  const warnings: string[] = [];
  for (const { title, id } of sheets) {
    builder.startPage();
    builder.heading(1, titleOnOneLine(title));
    const xml = archive.text(paths.get(id) ?? '');
    if (xml === null) warnings.push(`The sheet '${titleOnOneLine(title)}' is missing in the file.`);
    else builder.table(rowsOf(xml, { strings, formats, is1904 }), 1);
  }
  const metadata = officeMetadata(archive);
  const given = typeof metadata.title === 'string' ? titleOnOneLine(metadata.title) : '';
  return {
    title: given === '' ? titleFromName(name) : given,
    format: 'xlsx',
    text: builder.text,
    blocks: builder.blocks,
    pageStarts: builder.pageStarts,
    metadata,
    warnings,
  };
}

function sheetsIn(workbook: string) {
  const sheets: { readonly title: string; readonly id: string }[] = [];
  let is1904 = false;
  readXml(workbook, {
    open: (tag, attributes) => {
      if (tag === 'sheet') sheets.push({ title: attributes.name ?? '', id: attributes['r:id'] ?? '' });
      if (tag === 'workbookPr') is1904 = attributes.date1904 === '1' || attributes.date1904 === 'true';
    },
    close: () => {},
    say: () => {},
  });
  return { sheets, is1904 };
}

/** The texts that cells refer to by number. How a word is pronounced (`rPh`) is left out. */
function sharedStrings(xml: string): readonly string[] {
  const found: string[] = [];
  let text = '';
  let isText = false;
  let spoken = 0;
  readXml(xml, {
    open: (tag) => {
      if (tag === 'si') text = '';
      else if (tag === 'rPh') spoken++;
      else if (tag === 't') isText = spoken === 0;
    },
    close: (tag) => {
      if (tag === 'si') found.push(text);
      else if (tag === 'rPh') spoken--;
      else if (tag === 't') isText = false;
    },
    say: (words) => {
      if (isText) text += words;
    },
  });
  return found;
}

/** Formats of dates and times that every file has: ECMA-376, part 1, 18.8.30. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** For each style of a cell, whether its number is a date. */
function dateStyles(xml: string): readonly boolean[] {
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let isCellStyle = false;
  readXml(xml, {
    open: (tag, { numFmtId, formatCode = '' }) => {
      if (tag === 'numFmt') own.set(Number(numFmtId), isDateFormat(formatCode));
      else if (tag === 'cellXfs') isCellStyle = true;
      else if (tag === 'xf' && isCellStyle) {
        const id = Number(numFmtId ?? 0);
        styles.push(own.get(id) ?? isBuiltInDate(id));
      }
    },
    close: (tag) => {
      if (tag === 'cellXfs') isCellStyle = false;
    },
    say: () => {},
  });
  return styles;
}

/** A format with a letter of a date outside quotes and brackets. */
function isDateFormat(code: string): boolean {
  let closing = '';
  for (let at = 0; at < code.length; at++) {
    const char = code[at]!;
    if (closing !== '') closing = char === closing ? '' : closing;
    else if (char === '"') closing = '"';
    else if (char === '[') closing = ']';
    else if (char === '\\' || char === '_') at++;
    else if ('dmyhs'.includes(char.toLowerCase())) return true;
  }
  return false;
}

interface Cells {
  readonly strings: readonly string[];
  readonly formats: readonly boolean[];
  readonly is1904: boolean;
}

/** The rows of a sheet. A cell says its column, and empty cells are left out of the file. */
function rowsOf(xml: string, cells: Cells): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell: Readonly<Record<string, string>> | undefined;
  let value = '';
  let isValue = false;
  let spoken = 0;
  readXml(xml, {
    open: (tag, attributes) => {
      if (tag === 'row') {
        row = [];
        rows.push(row);
      } else if (tag === 'c') {
        cell = attributes;
        value = '';
      } else if (tag === 'rPh') spoken++;
      else if (tag === 'v' || tag === 't') isValue = cell !== undefined && spoken === 0;
    },
    close: (tag) => {
      if (tag === 'v' || tag === 't') isValue = false;
      else if (tag === 'rPh') spoken--;
      else if (tag === 'c' && cell !== undefined) {
        const text = oneSpaced(shownValue(value, cell, cells).slice(0, MAX_CELL_CHARS));
        if (text !== '') {
          const column = Math.min(columnOf(cell.r ?? ''), MAX_GAP_COLUMNS);
          while (row.length < column) row.push('');
          row.push(text);
        }
        cell = undefined;
      }
    },
    say: (words) => {
      if (isValue) value += words;
    },
  });
  return rows;
}

/** The column of `BC12`, from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < Math.min(3, reference.length); at++) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column - 1;
}

function shownValue(
  value: string,
  cell: Readonly<Record<string, string>>,
  { strings, formats, is1904 }: Cells,
): string {
  if (cell.t === 's') return strings[Number(value)] ?? '';
  if (cell.t === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (cell.t !== undefined && cell.t !== 'n') return value;
  const isDate = cell.s !== undefined && formats[Number(cell.s)] === true;
  return isDate && value !== '' ? (dateOf(Number(value), is1904) ?? value) : value;
}

const DAY_MS = 86_400_000;
/** Day 60 of the calendar of 1900 is 29 February, which that year did not have. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const MAX_SERIAL = 2_958_466;

/** A number of days as a date, a date with its time, or a time alone. Undefined: it is no date. */
function dateOf(serial: number, is1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < MAX_SERIAL)) return undefined;
  const moment = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(serial * DAY_MS)).toISOString();
  const [day, time] = [moment.slice(0, 10), moment.slice(11, 19)];
  if (serial < 1) return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
}
