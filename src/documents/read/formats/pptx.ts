import type { ReadDocument, ReadLimits } from '../../contract/document-reader.ts';
import { titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { ReadProblem } from '../text/read-problem.ts';
import { oneSpaced, TextBuilder } from '../text/text-builder.ts';
import { officeMetadata, relationsOf, XML_SHARE } from './office-parts.ts';
import { readXml, type XmlHandler } from './xml.ts';
import { ZipArchive } from './zip-archive.ts';

const PRESENTATION = 'ppt/presentation.xml';

/** A heading and a page for each slide, `Slide 3: Its title`, with its texts, tables and notes. */
export function readPptx(name: string, bytes: Uint8Array, { maxMemoryBytes, maxPages }: ReadLimits): ReadDocument {
  const archive = new ZipArchive(name, bytes, maxMemoryBytes * XML_SHARE);
  const presentation = archive.text(PRESENTATION);
  if (presentation === null) throw new ReadProblem('unsupported', `${name} is an archive, and not a PPTX file.`);
  const paths = new Map(relationsOf(archive, PRESENTATION).map(({ id, path }) => [id, path]));
  const ids = slideIds(presentation);
  if (ids.length > maxPages) {
    throw new ReadProblem('too_many_pages', `${name} has ${ids.length} slides, and the limit is ${maxPages}.`);
  }
  const builder = new TextBuilder();
  const warnings: string[] = [];
  let first = '';
  for (const [at, id] of ids.entries()) {
    const path = paths.get(id) ?? '';
    const xml = archive.text(path);
    builder.startPage();
    if (xml === null) {
      warnings.push(`Slide ${at + 1} is missing in the file.`);
      continue;
    }
    const slide = readShapes(xml);
    const title = titleOnOneLine(slide.title);
    if (first === '') first = title;
    builder.heading(1, title === '' ? `Slide ${at + 1}` : `Slide ${at + 1}: ${title}`);
    addParts(builder, slide.parts);
    const notes = relationsOf(archive, path).find(({ kind }) => kind === 'notesSlide');
    const said = notes === undefined ? [] : readShapes(archive.text(notes.path) ?? '').parts;
    if (said.length > 0) builder.heading(2, 'Notes');
    addParts(builder, said);
  }
  const metadata = officeMetadata(archive);
  const given = typeof metadata.title === 'string' ? titleOnOneLine(metadata.title) : '';
  return {
    title: [given, first].find((text) => text !== '') ?? titleFromName(name),
    format: 'pptx',
    text: builder.text,
    blocks: builder.blocks,
    pageStarts: builder.pageStarts,
    metadata,
    warnings,
  };
}

function slideIds(presentation: string): readonly string[] {
  const ids: string[] = [];
  readXml(presentation, {
    open: (tag, attributes) => {
      if (tag === 'p:sldId') ids.push(attributes['r:id'] ?? '');
    },
    close: () => {},
    say: () => {},
  });
  return ids;
}

/** A paragraph, or the rows of a table. */
type Part = string | readonly (readonly string[])[];

function addParts(builder: TextBuilder, parts: readonly Part[]): void {
  for (const part of parts) {
    if (typeof part === 'string') builder.paragraph('text', part);
    else builder.table(part, 1);
  }
}

interface Slide {
  readonly title: string;
  readonly parts: readonly Part[];
}

/** Numbers, dates and footers of slides are on each of them and say nothing. */
const REPEATED = ['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'];

/** The texts of the shapes of a slide, in their order. What old versions of the program get (`mc:Fallback`) is left out. */
function readShapes(xml: string): Slide {
  const parts: Part[] = [];
  const title: string[] = [];
  let rows: string[][] | undefined;
  let cell: string[] = [];
  let placeholder: string | undefined;
  let words = '';
  let isText = false;
  let skipped = 0;
  const endParagraph = () => {
    const text = oneSpaced(words);
    words = '';
    if (text === '' || REPEATED.includes(placeholder ?? '')) return;
    if (rows !== undefined) cell.push(text);
    else if (placeholder === 'title' || placeholder === 'ctrTitle') title.push(text);
    else parts.push(text);
  };
  const handler: XmlHandler = {
    open: (tag, attributes) => {
      if (tag === 'mc:Fallback') skipped++;
      if (skipped > 0) return;
      if (tag === 'p:sp' || tag === 'p:graphicFrame') placeholder = undefined;
      else if (tag === 'p:ph') placeholder = attributes.type ?? 'body';
      else if (tag === 'a:t') isText = true;
      else if (tag === 'a:br' || tag === 'a:tab') words += ' ';
      else if (tag === 'a:tbl') rows = [];
      else if (tag === 'a:tr') rows?.push([]);
      else if (tag === 'a:tc') cell = [];
    },
    close: (tag) => {
      if (tag === 'mc:Fallback') skipped--;
      if (skipped > 0) return;
      if (tag === 'a:t') isText = false;
      else if (tag === 'a:p') endParagraph();
      else if (tag === 'a:tc') rows?.at(-1)?.push(cell.join(' '));
      else if (tag === 'a:tbl' && rows !== undefined) {
        parts.push(rows);
        rows = undefined;
      } else if (tag === 'p:sp') placeholder = undefined;
    },
    say: (text) => {
      if (isText && skipped === 0) words += text;
    },
  };
  readXml(xml, handler);
  return { title: title.join(' '), parts };
}
