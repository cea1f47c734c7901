import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { docxFile, docxParagraph as p, zipFile } from '../../../../test/support/zip-file.ts';
import { DEFAULT_READ_LIMITS } from '../../contract/document-reader.ts';
import { readDocx } from './docx.ts';

const read = (bytes: Uint8Array, maxMemoryBytes = DEFAULT_READ_LIMITS.maxMemoryBytes) =>
  readDocx('letter.docx', bytes, { ...DEFAULT_READ_LIMITS, maxMemoryBytes });
const blocksOf = (body: string, styles?: string) =>
  describedBlocks(read(docxFile(styles === undefined ? { body } : { body, styles })));
const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;

describe('readDocx', () => {
  it('gives headings by style, paragraphs, lists and tables', () => {
    const list = '<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>';
    expect(
      blocksOf(
        `${p('Pump', 'Title')}${p('Use &amp; care', 'Heading2')}${p('Read it.')}${list}<w:tbl>${row('Part', 'kg')}${row('PX-40', '3')}</w:tbl>`,
      ),
    ).toEqual([
      'heading 1 <Pump>: Pump',
      'heading 2 <Use & care>: Use & care',
      'text: Read it.',
      'text: - item',
      'table: Part | kg\nPX-40 | 3',
    ]);
  });

  it('finds heading styles of other languages and of the author', () => {
    const styles = `<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
      <w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>
      <w:style w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
      <w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>`;
    expect(blocksOf(p('a', 'berschrift1') + p('b', 'Mine') + p('c', 'Out') + p('d', 'Loop'), styles)).toEqual([
      'heading 1 <a>: a',
      'heading 1 <b>: b',
      'heading 3 <c>: c',
      'text: d',
    ]);
  });

  it('leaves out deleted text, and what a text box says twice', () => {
    const body = `<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
      <w:p><mc:AlternateContent><mc:Choice><w:txbxContent>${p('box')}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${p('box')}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>`;
    expect(blocksOf(body)).toEqual(['text: kept', 'text: box']);
  });

  it('reads footnotes and properties', () => {
    const document = read(
      docxFile({
        body: p('text'),
        footnotes: `<w:footnote>${p('a note')}</w:footnote>`,
        properties: '<dc:title>The &amp; pump</dc:title><dc:creator>Works office</dc:creator>',
      }),
    );
    expect(describedBlocks(document)).toEqual(['text: text', 'text: a note']);
    expect(document.title).toBe('The & pump');
    expect(document.metadata).toEqual({ title: 'The & pump', author: 'Works office' });
  });

  it('stops unpacking at the limit, whatever size the archive declares', () => {
    const bomb = docxFile({ body: ' '.repeat(50_000_000) });
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => read(bomb, 50_000_000)).toThrowError(
      expect.objectContaining({
        code: 'too_large',
        message: 'letter.docx unpacks to more than 10 MB. It was skipped.',
      }),
    );
  });

  it.each([
    ['an archive of something else', zipFile([{ path: 'a.txt', content: 'x' }]), 'unsupported'],
    ['a password', zipFile([{ path: 'word/document.xml', content: 'x', isEncrypted: true }]), 'encrypted'],
    ['half a file', docxFile({ body: p('text') }).subarray(0, 200), 'broken'],
    ['damaged data', zipFile([{ path: 'word/document.xml', content: 'x', packed: Buffer.from('garbage') }]), 'broken'],
  ])('names %s', (_, bytes, code) => {
    expect(() => read(bytes)).toThrowError(expect.objectContaining({ code }));
  });
});
