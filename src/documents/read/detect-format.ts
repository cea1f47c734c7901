import type { DocumentFormat, ReadFailure } from '../contract/document-reader.ts';

const BY_EXTENSION: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  docx: 'docx',
  xlsx: 'xlsx',
  pptx: 'pptx',
  pdf: 'pdf',
};

const CODE_EXTENSIONS = new Set(
  `astro bash bat c cc clj cljs cmake cpp cs css cxx dart dockerfile ex exs erl fs go gradle graphql groovy h hcl hh hpp hs
  ini java jl js json json5 jsonc jsx kt kts less lua m make mjs cjs ml mm nim nix pas php pl pm prisma properties proto ps1 py
  pyi r rb rs sass scala scss sh sol sql svelte swift tf toml ts tsx mts cts vb vue xml yaml yml zig zsh`.split(/\s+/),
);
const CODE_NAMES = new Set(['dockerfile', 'makefile', 'cmakelists.txt', 'rakefile', 'gemfile', 'jenkinsfile']);

const PICTURE = 'is a picture. Dowser does not read text in pictures.';
const OLD_OFFICE = 'is in an old Office format. Save it as DOCX or PDF.';

/** The first bytes of formats that are known and not read. */
const UNSUPPORTED: readonly (readonly [magic: string, sentence: string])[] = [
  ['\x89PNG\r\n', PICTURE],
  ['\xff\xd8\xff', PICTURE],
  ['GIF8', PICTURE],
  ['II*\0', PICTURE],
  ['MM\0*', PICTURE],
  ['BM', PICTURE],
  ['{\\rtf', 'is an RTF file. Save it as DOCX or PDF.'],
];
/** A PDF may have other bytes in front. */
const PDF_HEADER_WITHIN = 1024;

const isBitmap = (bytes: Uint8Array): boolean => bytes.length > 30 && bytes[6] === 0 && bytes[7] === 0;

/** The format by the first bytes, and for text files by the name. Null: a text file of an unknown kind. */
export function detectFormat(name: string, bytes: Uint8Array): DocumentFormat | ReadFailure | null {
  const start = latin1(bytes, PDF_HEADER_WITHIN);
  const extension = extensionOf(name);
  if (start.includes('%PDF-') && (extension === 'pdf' || start.startsWith('%PDF-'))) return 'pdf';
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) {
    if (isOffice(extension)) return extension;
    return !(extension in ZIP_FORMATS)
      ? 'docx'
      : { failed: 'unsupported', message: `${name} is ${ZIP_FORMATS[extension]}. Save it as DOCX, PDF, HTML or CSV.` };
  }
  if (start.startsWith('\xd0\xcf\x11\xe0')) {
    return isOffice(extension)
      ? { failed: 'encrypted', message: `${name} needs a password. Save it without one.` }
      : { failed: 'unsupported', message: `${name} ${OLD_OFFICE}` };
  }
  const known = UNSUPPORTED.find(([magic]) => start.startsWith(magic) && (magic !== 'BM' || isBitmap(bytes)));
  if (known !== undefined) return { failed: 'unsupported', message: `${name} ${known[1]}` };
  const format = BY_EXTENSION[extension];
  if (format === 'pdf' || isOffice(extension)) {
    return { failed: 'broken', message: `${name} is no ${extension.toUpperCase()} file: it does not begin like one.` };
  }
  if (format !== undefined) return format;
  if (CODE_EXTENSIONS.has(extension) || CODE_NAMES.has(name.toLowerCase())) return 'code';
  return /^\s*<(?:!doctype html|html)[\s>]/i.test(start) ? 'html' : null;
}

/** Formats of Office: archives of XML, or with a password a file of another kind. */
const isOffice = (extension: string): extension is 'docx' | 'xlsx' | 'pptx' =>
  extension === 'docx' || extension === 'xlsx' || extension === 'pptx';

const ZIP_FORMATS: Readonly<Record<string, string>> = {
  ods: 'a spreadsheet',
  odp: 'a presentation',
  odt: 'an OpenDocument text',
  epub: 'an EPUB book',
  zip: 'an archive',
  jar: 'an archive',
};

export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

const latin1 = (bytes: Uint8Array, length: number): string => String.fromCharCode(...bytes.subarray(0, length));
