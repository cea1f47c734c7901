import { getDocumentProxy } from 'unpdf';
import type { ReadDocument, ReadLimits } from '../../contract/document-reader.ts';
import { titleFromName, titleOnOneLine } from '../text/decoded-file.ts';
import { metadataOf } from '../text/metadata.ts';
import { ReadProblem } from '../text/read-problem.ts';
import { TextBuilder } from '../text/text-builder.ts';
import { writePages } from './pdf-blocks.ts';
import { linesOfPage, type PdfItem, type PdfLine } from './pdf-lines.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** PDF.js prints no warnings. */
const SILENT = 0;
const SCAN = 'It is probably a scan: Dowser does not read text in pictures.';
const PROPERTIES = ['Title', 'Author', 'Subject', 'Keywords'];
/** Programs write the name of a file or nothing useful here. */
const POOR_TITLE = /^(?:untitled|microsoft word - .*|.*\.(?:docx?|pdf|tex|indd|qxd))$/i;

/** The text of each page. A page that cannot be read is a warning; a file without any text is a failure. */
export async function readPdf(name: string, bytes: Uint8Array, limits: ReadLimits): Promise<ReadDocument> {
  const maps = noteMissingMaps();
  const pdf = await openPdf(name, bytes, maps.Factory);
  try {
    if (pdf.numPages > limits.maxPages) {
      throw new ReadProblem(
        'too_many_pages',
        `${name} has ${pdf.numPages} pages, and the limit is ${limits.maxPages}.`,
      );
    }
    const { pages, warnings } = await readPages(name, pdf, limits, maps.missing);
    const builder = new TextBuilder();
    writePages(builder, pages);
    const metadata = metadataOf(await properties(pdf));
    return {
      title: titleOf(name, metadata.title, builder),
      format: 'pdf',
      text: builder.text,
      blocks: builder.blocks,
      pageStarts: builder.pageStarts,
      metadata,
      warnings,
    };
  } finally {
    await pdf.destroy();
  }
}

async function openPdf(name: string, bytes: Uint8Array, BinaryDataFactory: object): Promise<Pdf> {
  try {
    // PDF.js takes the buffer away, and refuses a Node buffer.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: SILENT,
      useSystemFonts: false,
      stopAtErrors: false,
      BinaryDataFactory,
    });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new ReadProblem('encrypted', `${name} needs a password. Save it without one.`);
    }
    throw new ReadProblem('broken', `${name} is damaged and cannot be opened as a PDF: ${sentence(error)}`);
  }
}

async function readPages(
  name: string,
  pdf: Pdf,
  limits: ReadLimits,
  missingMaps: ReadonlySet<string>,
): Promise<{ pages: PdfLine[][]; warnings: string[] }> {
  const pages: PdfLine[][] = [];
  const failed: number[] = [];
  const empty: number[] = [];
  let chars = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    try {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const lines = linesOfPage(items.filter((item): item is typeof item & PdfItem => 'str' in item));
      page.cleanup();
      pages.push(lines);
      if (lines.length === 0) empty.push(number);
      for (const { text } of lines) chars += text.length;
    } catch {
      pages.push([]);
      failed.push(number);
    }
    if (chars > limits.maxChars) {
      throw new ReadProblem(
        'too_large',
        `${name} has more than ${limits.maxChars} characters of text. Split it into parts.`,
      );
    }
  }
  if (chars === 0 && failed.length > 0)
    throw new ReadProblem('broken', `No page of ${name} can be read. It is damaged.`);
  const unmapped = missingMaps.size === 0 ? '' : unmappedText(missingMaps);
  if (chars === 0) {
    const why = unmapped === '' ? `${name} has no text on its ${pdf.numPages} pages. ${SCAN}` : `${name}: ${unmapped}`;
    throw new ReadProblem('no_text', why);
  }
  const warnings: string[] = [];
  if (unmapped !== '') warnings.push(unmapped);
  if (failed.length > 0) warnings.push(`Pages that are damaged and were skipped: ${pageList(failed)}.`);
  if (empty.length > 0) warnings.push(`Pages without text, perhaps scanned: ${pageList(empty)}.`);
  return { pages, warnings };
}

/** PDF.js has these maps in files of their own, and unpdf does not come with them. */
function unmappedText(maps: ReadonlySet<string>): string {
  const names = [...maps].sort().slice(0, MAX_LISTED).join(', ');
  const fonts = 'Text in Chinese, Japanese or Korean fonts was not read';
  return `${fonts}: Dowser does not have their character maps (${names}). Save the PDF with embedded fonts, or as text.`;
}

async function properties(pdf: Pdf): Promise<Record<string, unknown>> {
  try {
    const info = new Map<string, unknown>(Object.entries((await pdf.getMetadata()).info));
    return Object.fromEntries(PROPERTIES.map((name) => [name.toLowerCase(), info.get(name)]));
  } catch {
    return {};
  }
}

function titleOf(name: string, given: unknown, { blocks }: TextBuilder): string {
  const title = typeof given === 'string' ? titleOnOneLine(given) : '';
  if (title !== '' && !POOR_TITLE.test(title)) return title;
  const heading = blocks.find(({ kind, page }) => kind === 'heading' && page === 1)?.title;
  return heading ?? titleFromName(name);
}

const MAX_LISTED = 20;

const pageList = (pages: readonly number[]): string =>
  pages.length > MAX_LISTED
    ? `${pages.slice(0, MAX_LISTED).join(', ')} and ${pages.length - MAX_LISTED} more`
    : pages.join(', ');

function sentence(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 200);
  return message.endsWith('.') ? message : `${message}.`;
}

/**
 * Notes which character maps PDF.js asks for. A font that is not embedded may name a map instead of having its own; without
 * the map its text is left out, with no other sign than this request.
 */
function noteMissingMaps(): { readonly Factory: object; readonly missing: ReadonlySet<string> } {
  const missing = new Set<string>();
  class Factory {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<never> {
      if (kind === 'cMapUrl') missing.add(filename.replace(/\.bcmap$/, ''));
      throw new Error(`There is no ${filename}.`);
    }
  }
  return { Factory, missing };
}
