import type { DocumentFormat, ReadDocument, ReadLimits, ReadResult } from '../contract/document-reader.ts';
import { detectFormat } from './detect-format.ts';
import { decodeText } from './text/decode-text.ts';
import type { DecodedFile } from './text/decoded-file.ts';
import { ReadProblem } from './text/read-problem.ts';

type TextFormat = Exclude<DocumentFormat, 'docx' | 'xlsx' | 'pptx' | 'pdf'>;

/** Loaded on use: most folders hold few formats. */
const TEXT_READERS: Readonly<Record<TextFormat, () => Promise<(file: DecodedFile) => ReadDocument>>> = {
  markdown: async () => (await import('./formats/markdown.ts')).readMarkdown,
  text: async () => (await import('./formats/plain-text.ts')).readPlainText,
  html: async () => (await import('./formats/html.ts')).readHtml,
  csv: async () => (await import('./formats/delimited.ts')).readCsv,
  tsv: async () => (await import('./formats/delimited.ts')).readTsv,
  code: async () => (await import('./formats/source-code.ts')).readSourceCode,
};

/** A file whose bytes are in memory. It may take any time and memory: `DocumentProcess` sets the limits of both. */
export async function readBytes(name: string, bytes: Uint8Array, limits: ReadLimits): Promise<ReadResult> {
  try {
    const document = await readAs(name, bytes, limits);
    checkSize(name, 'characters of text', document.text.length, limits.maxChars);
    checkSize(name, 'headings and paragraphs', document.blocks.length, limits.maxBlocks);
    return document;
  } catch (error) {
    if (error instanceof ReadProblem) return { failed: error.code, message: error.message };
    throw error;
  }
}

function checkSize(name: string, what: string, size: number, limit: number): void {
  if (size <= limit) return;
  throw new ReadProblem('too_large', `${name} has ${size} ${what}, and the limit is ${limit}. Split it into parts.`);
}

async function readAs(name: string, bytes: Uint8Array, limits: ReadLimits): Promise<ReadDocument> {
  const format = detectFormat(name, bytes);
  if (format !== null && typeof format === 'object') throw new ReadProblem(format.failed, format.message);
  if (format === 'xlsx') return (await import('./formats/xlsx.ts')).readXlsx(name, bytes, limits);
  if (format === 'pptx') return (await import('./formats/pptx.ts')).readPptx(name, bytes, limits);
  if (format === 'docx') return (await import('./formats/docx.ts')).readDocx(name, bytes, limits);
  if (format === 'pdf') return (await import('./formats/pdf.ts')).readPdf(name, bytes, limits);
  const text = decodeText(bytes);
  if (text === null) {
    throw new ReadProblem('binary', `${name} is neither UTF-8 nor UTF-16 text. Save it as UTF-8 if it is text.`);
  }
  const read = await TEXT_READERS[format ?? 'text']();
  return read({ name, text });
}
