import type { ReadDocument, ReadLimits } from '../../contract/document-reader.ts';
import { titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { ReadProblem } from '../text/read-problem.ts';
import { TextBuilder } from '../text/text-builder.ts';
import { DocxBody } from './docx-body.ts';
import { headingLevels } from './docx-styles.ts';
import { officeMetadata, XML_SHARE } from './office-parts.ts';
import { readXml } from './xml.ts';
import { ZipArchive } from './zip-archive.ts';

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
  const metadata = officeMetadata(archive);
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
