import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { type PdfOptions, type PdfText, pdfBytes, pdfFile, pdfWithoutMaps } from '../../../../test/support/pdf-file.ts';
import { DEFAULT_READ_LIMITS } from '../../contract/document-reader.ts';
import { readPdf } from './pdf.ts';

const read = (pages: readonly (readonly PdfText[])[], options?: PdfOptions) =>
  readPdf('manual.pdf', pdfFile(pages, options), DEFAULT_READ_LIMITS);
/** Lines from the top of a page. */
const lines = (texts: readonly string[], x = 50, top = 700): PdfText[] =>
  texts.map((text, i) => ({ text, x, y: top - 12 * i }));
const COLUMN = 'words that fill a column';

describe('readPdf', () => {
  it.each([
    ['UniGB-UCS2-H', 'GB1', '4F60597D', 'UniGB-UCS2-H'],
    ['90ms-RKSJ-H', 'Japan1', '93FA967B', '90ms-RKSJ-H'],
    ['Identity-H', 'Korea1', '034E0C3F', 'Adobe-Korea1-UCS2'],
  ])('says that text by the map %s was left out', async (encoding, ordering, codes, map) => {
    const font = { encoding, ordering, codes };
    const warning = `Text in Chinese, Japanese or Korean fonts was not read: Dowser does not have their character maps (${map}). Save the PDF with embedded fonts, or as text.`;
    const both = await readPdf('both.pdf', pdfWithoutMaps(font, 'Pump PX-40'), DEFAULT_READ_LIMITS);
    expect([both.text, both.warnings]).toEqual(['Pump PX-40', [warning]]);
    await expect(readPdf('only.pdf', pdfWithoutMaps(font, ''), DEFAULT_READ_LIMITS)).rejects.toMatchObject({
      code: 'no_text',
      message: `only.pdf: ${warning}`,
    });
  });

  it('gives each block with its page', async () => {
    const document = await read([
      [
        { text: 'Pump manual', x: 50, y: 780, size: 20 },
        ...lines(['Clean the pump.', 'Every week.']),
        ...lines(['Next.'], 50, 640),
      ],
      [{ text: 'Safety', x: 50, y: 780, size: 14 }, ...lines(['Wear gloves.'])],
    ]);
    expect(describedBlocks(document)).toEqual([
      'p1 heading 1 <Pump manual>: Pump manual',
      'p1 text: Clean the pump.\nEvery week.',
      'p1 text: Next.',
      'p2 heading 2 <Safety>: Safety',
      'p2 text: Wear gloves.',
    ]);
    expect(document.pageStarts!.map((at) => document.text.slice(at, at + 6))).toEqual(['Pump m', 'Safety']);
    expect(document.title).toBe('Pump manual');
  });

  it('takes large letters with nothing below them for text', async () => {
    const large = (text: string, y: number) => ({ text, x: 50, y, size: 24 });
    const document = await read([
      [large('Growth', 700), large('Trust', 600)],
      lines(['Much more text in usual letters.']),
    ]);
    expect(describedBlocks(document).slice(0, 2)).toEqual(['p1 text: Growth', 'p1 text: Trust']);
  });

  it('separates the cells of a table', async () => {
    const document = await read([
      [...lines(['Part', 'PX-40']), ...lines(['Weight', '3 kg'], 200)].sort((a, b) => b.y - a.y),
    ]);
    expect(document.text).toBe('Part | Weight\nPX-40 | 3 kg');
  });

  it('reads two columns one after the other, in whichever order they were written', async () => {
    const left = lines(['1', '2', '3', '4', '5'].map((i) => `Left ${i} ${COLUMN}`));
    const right = lines(
      ['1', '2', '3', '4', '5'].map((i) => `Right ${i} ${COLUMN}`),
      300,
    );
    const byColumn = await read([[...left, ...right]]);
    const byRow = await read([left.flatMap((text, i) => [text, right[i]!])]);
    expect(byRow.text.split('\n').filter((line) => line !== '')).toEqual([...left, ...right].map(({ text }) => text));
    expect(byColumn.text.split('\n').filter((line) => line !== '')).toEqual(
      [...left, ...right].map(({ text }) => text),
    );
  });

  it('joins words that were divided at the end of a line, and no others', async () => {
    const document = await read([lines(['The exam-', 'ple of part AB-', '12 and self-', 'Made.'])]);
    expect(document.text).toBe('The example of part AB-\n12 and self-\nMade.');
  });

  it('takes a useful title of the properties, and no file name', async () => {
    expect((await read([lines(['x'])], { title: 'The pump' })).title).toBe('The pump');
    expect((await read([lines(['x'])], { title: 'Microsoft Word - a.doc' })).title).toBe('manual');
  });

  it('leaves out headers, footers and page numbers that pages share', async () => {
    const page = (number: number) => [
      ...lines(['Pump manual', 'Second edition'], 50, 800),
      ...lines([`Page ${number} is about valve ${'abcde'[number]}.`, 'Total: 7'], 50, 700),
      ...lines([`- ${number} -`], 50, 40),
    ];
    const document = await read([page(1), page(2), page(3), page(4)]);
    expect(document.text.replaceAll(/\s+/g, ' ')).toBe(
      'Page 1 is about valve b. Total: 7 Page 2 is about valve c. Total: 7 Page 3 is about valve d. Total: 7 Page 4 is about valve e. Total: 7',
    );
    expect(document.pageStarts).toHaveLength(4);
    const two = await read([page(1), page(2)]);
    expect(two.text).toContain('Pump manual');
  });

  it('keeps headings that pages share, and the last line of a page', async () => {
    const heading = { text: 'Invoice', x: 50, y: 800, size: 20 };
    const document = await read([1, 2, 3].map((i) => [heading, ...lines([`Item ${i} with many words`])]));
    expect(describedBlocks(document)).toHaveLength(6);
    expect((await read([1, 2, 3].map(() => lines(['Same.'])))).text).toBe('Same.\n\nSame.\n\nSame.');
  });

  it('takes the lines of a table of contents for text, with few dots', async () => {
    const large = { text: '2 Handling . . . . . . . . . . . . 7', x: 50, y: 700, size: 14 };
    const document = await read([[large, ...lines(['Usual letters, and many more of them.'], 50, 600)]]);
    expect(describedBlocks(document)[0]).toBe('p1 text: 2 Handling ... 7');
  });

  it('warns of pages without text', async () => {
    expect((await read([lines(['x']), [], []])).warnings).toEqual(['Pages without text, perhaps scanned: 2, 3.']);
  });

  it('says that a scan has no text', async () => {
    await expect(read([[], []])).rejects.toMatchObject({
      code: 'no_text',
      message: 'manual.pdf has no text on its 2 pages. It is probably a scan: Dowser does not read text in pictures.',
    });
  });

  it('says that a file needs a password', async () => {
    const key = '00'.repeat(32);
    const objects = [`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >>`];
    await expect(read([lines(['x'])], { objects, trailer: '/Encrypt 6 0 R /ID [<00> <00>]' })).rejects.toMatchObject({
      code: 'encrypted',
      message: 'manual.pdf needs a password. Save it without one.',
    });
  });

  it.each([
    ['half a file', pdfFile([lines(['x'])]).subarray(0, 200)],
    [
      'arrays nested a hundred thousand deep',
      pdfBytes([`<< /Type /Catalog /X ${'['.repeat(100_000)} >>`], '/Root 1 0 R'),
    ],
    [
      'pages that contain themselves',
      pdfBytes(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 9 >>'], '/Root 1 0 R'),
    ],
  ])('says that %s is damaged', async (_, bytes) => {
    await expect(readPdf('manual.pdf', bytes, DEFAULT_READ_LIMITS)).rejects.toMatchObject({ code: 'broken' });
  });

  it('keeps to the limits of pages and characters', async () => {
    const bytes = () => pdfFile([lines(['one']), lines(['two']), lines(['three'])]);
    await expect(readPdf('m.pdf', bytes(), { ...DEFAULT_READ_LIMITS, maxPages: 2 })).rejects.toMatchObject({
      code: 'too_many_pages',
      message: 'm.pdf has 3 pages, and the limit is 2.',
    });
    await expect(readPdf('m.pdf', bytes(), { ...DEFAULT_READ_LIMITS, maxChars: 5 })).rejects.toMatchObject({
      code: 'too_large',
    });
  });
});
