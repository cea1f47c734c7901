import { titleFromName, titleOnOneLine } from '../decoded-file.ts';
import type { ReadDocument, ReadLimits } from '../document-reader.ts';
import { metadataOf } from '../metadata.ts';
import { ReadProblem } from '../read-problem.ts';
import { TextBuilder } from '../text-builder.ts';
import { DocxBody } from './docx-body.ts';
import { headingLevels } from './docx-styles.ts';
import { readXml } from './xml.ts';
import { ZipArchive } from './zip-archive.ts';

/** Of the memory for a file, for its XML. The text and the parser need the rest. */
const XML_SHARE = 0.2;
const PROPERTIES: Readonly<Record<string, string>> = {
  'dc:title': 'title',
  'dc:creator': 'author',
  'dc:subject': 'subject',
  'dc:description': 'description',
  'dc:language': 'language',
  'cp:keywords': 'keywords',
};

/** Headings by style, paragraphs, tables and footnotes. Headers and footers of pages are left out. */
export function readDocx(name: string, bytes: Uint8Array, { maxMemoryBytes }: ReadLimits): ReadDocument {
  const archive = new ZipArchive(name, bytes, maxMemoryBytes * XML_SHARE);
  const body = archive.text('word/document.xml');
  if (body === null) throw new ReadProblem('unsupported', `${name} is an archive, and not a DOCX file.`);
  const builder = new TextBuilder();
  const levels = headingLevels(archive.text('word/styles.xml') ?? '');
  for (const xml of [body, archive.text('word/footnotes.xml'), archive.text('word/endnotes.xml')]) {
    if (xml !== null) readXml(xml, new DocxBody(builder, levels));
  }
  const metadata = metadataOf(properties(archive.text('docProps/core.xml') ?? ''));
  const given = typeof metadata.title === 'string' ? titleOnOneLine(metadata.title) : '';
  const heading = builder.blocks.find(({ kind }) => kind === 'heading')?.title;
  return {
    title: given !== '' ? given : (heading ?? titleFromName(name)),
    format: 'docx',
    text: builder.text,
    blocks: builder.blocks,
    metadata,
    warnings: [],
  };
}

function properties(xml: string): Record<string, string> {
  const found: Record<string, string> = {};
  let field: string | undefined;
  readXml(xml, {
    open: (tag) => {
      field = PROPERTIES[tag];
    },
    close: () => {
      field = undefined;
    },
    say: (words) => {
      if (field !== undefined) found[field] = `${found[field] ?? ''}${words}`;
    },
  });
  return found;
}
