/** A piece of text on a page of A4, in points from the bottom left. */
export interface PdfText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Default 10. */
  readonly size?: number;
}

export interface PdfOptions {
  readonly title?: string;
  /** Entries of the trailer, as PDF: `/Encrypt 9 0 R`. */
  readonly trailer?: string;
  /** More objects, numbered after those of the pages. */
  readonly objects?: readonly string[];
}

/** A PDF with a page for each list of texts, in Helvetica. */
export function pdfFile(pages: readonly (readonly PdfText[])[], options: PdfOptions = {}): Uint8Array {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  for (const [i, texts] of pages.entries()) {
    const content = texts.map(drawn).join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * i} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  for (const object of options.objects ?? []) objects.push(object);
  if (options.title !== undefined) objects.push(`<< /Title (${escaped(options.title)}) >>`);
  const info = options.title === undefined ? '' : `/Info ${objects.length} 0 R`;
  return pdfBytes(objects, `/Root 1 0 R ${info} ${options.trailer ?? ''}`);
}

/** A font that is not embedded, with the name of a character map in place of the map. */
export interface UnmappedFont {
  readonly encoding: string;
  readonly ordering: string;
  /** The characters, as hexadecimal codes of the encoding. */
  readonly codes: string;
}

/** A page with a line in a font without a map, and a line in Helvetica. */
export function pdfWithoutMaps({ encoding, ordering, codes }: UnmappedFont, text: string): Uint8Array {
  const content = `BT /F2 12 Tf 50 700 Td <${codes}> Tj ET ${drawn({ text, x: 50, y: 650 })}`;
  return pdfBytes(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 8 0 R /F2 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 4 >> /FontDescriptor 7 0 R >>`,
      '<< /Type /FontDescriptor /FontName /Song /Flags 6 /FontBBox [0 0 1000 880] /ItalicAngle 0 /Ascent 880 /Descent 0 /StemV 90 >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    '/Root 1 0 R',
  );
}

/** Objects 1, 2, ... with the table of their places. Text is Latin-1. */
export function pdfBytes(objects: readonly string[], trailer: string): Uint8Array {
  const parts = ['%PDF-1.7\n'];
  let length = parts[0]!.length;
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    const part = `${i + 1} 0 obj\n${object}\nendobj\n`;
    places.push(length);
    parts.push(part);
    length += part.length;
  }
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
  );
  return Buffer.from(parts.join(''), 'latin1');
}

const drawn = ({ text, x, y, size = 10 }: PdfText): string =>
  `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET`;

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&');
