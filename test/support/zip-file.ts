import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Packed bytes of another content than the sum says. */
  readonly packed?: Uint8Array;
  readonly isEncrypted?: boolean;
}

/** A ZIP archive, deflated. */
export function zipFile(entries: readonly ZipEntry[]): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content, packed, isEncrypted } of entries) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const data = packed ?? deflateRawSync(bytes);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(isEncrypted === true ? 1 : 0, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, tail, name]));
    files.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, index, end]);
}

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

export interface DocxParts {
  readonly body: string;
  readonly styles?: string;
  readonly footnotes?: string;
  readonly properties?: string;
}

/** A DOCX file with the XML of its parts. */
export function docxFile({ body, styles, footnotes, properties }: DocxParts): Uint8Array {
  const part = (path: string, root: string, xml: string | undefined): ZipEntry[] =>
    xml === undefined ? [] : [{ path, content: `<?xml version="1.0"?><${root} ${NAMESPACE}>${xml}</${root}>` }];
  return zipFile([
    { path: '[Content_Types].xml', content: '<Types/>' },
    ...part('word/document.xml', 'w:document', `<w:body>${body}</w:body>`),
    ...part('word/styles.xml', 'w:styles', styles),
    ...part('word/footnotes.xml', 'w:footnotes', footnotes),
    ...part('docProps/core.xml', 'cp:coreProperties', properties),
  ]);
}

/** A paragraph of a DOCX file. */
export const docxParagraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
