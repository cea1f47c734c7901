import { describe, expect, it } from 'vitest';
import { describedBlocks } from '../../../../test/support/described-blocks.ts';
import { type ZipEntry, zipFile } from '../../../../test/support/zip-file.ts';
import { DEFAULT_READ_LIMITS } from '../../contract/document-reader.ts';
import { readBytes } from '../read-bytes.ts';
import { readPptx } from './pptx.ts';
import { readXlsx } from './xlsx.ts';

const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (targets: readonly (readonly [id: string, kind: string, target: string])[]) =>
  `<Relationships>${targets.map(([id, kind, target]) => `<Relationship Id="${id}" Type="${RELATION}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;

interface Sheets {
  readonly sheets: Readonly<Record<string, string>>;
  readonly strings?: string;
  readonly styles?: string;
  readonly workbook?: string;
}

function xlsxFile({ sheets, strings, styles, workbook = '' }: Sheets): Uint8Array {
  const names = Object.keys(sheets);
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('');
  const entries: ZipEntry[] = [
    { path: 'xl/workbook.xml', content: `<workbook>${workbook}<sheets>${listed}</sheets></workbook>` },
    {
      path: 'xl/_rels/workbook.xml.rels',
      content: relations(names.map((_, at) => [`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`])),
    },
    ...names.map((name, at) => ({
      path: `xl/worksheets/sheet${at + 1}.xml`,
      content: `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
    })),
  ];
  if (strings !== undefined) entries.push({ path: 'xl/sharedStrings.xml', content: `<sst>${strings}</sst>` });
  if (styles !== undefined) entries.push({ path: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` });
  return zipFile(entries);
}

const xlsx = (parts: Sheets) => readXlsx('plan.xlsx', xlsxFile(parts), DEFAULT_READ_LIMITS);

describe('readXlsx', () => {
  it('gives each sheet a heading and a page, with its shared, inline and computed texts', () => {
    const document = xlsx({
      sheets: {
        'Parts &amp; pumps': `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>kg</t></is></c></row>
          <row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="b"><v>1</v></c><c r="C2"><f>1+2</f><v>3</v></c></row>`,
        Costs: '<row r="1"><c r="A1" t="str"><f>x</f><v>Sum</v></c><c r="B1"><v>7.5</v></c></row>',
        Empty: '',
      },
      strings: '<si><t>Part</t></si><si><r><t>PX</t></r><r><t>-40</t></r><rPh><t>ピー</t></rPh></si>',
    });
    expect(describedBlocks(document)).toEqual([
      'p1 heading 1 <Parts & pumps>: Parts & pumps',
      'p1 table: Part |  | kg\nPX-40 | TRUE | 3',
      'p2 heading 1 <Costs>: Costs',
      'p2 table: Sum | 7.5',
      'p3 heading 1 <Empty>: Empty',
    ]);
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 1, 2, 2, 3]);
    expect(document.pageStarts).toHaveLength(3);
    expect(document.title).toBe('plan');
  });

  it('shows dates as dates by the format of the cell, and numbers as numbers', () => {
    const styles = `<numFmts><numFmt numFmtId="164" formatCode="[Red]yyyy\\-mm"/><numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/></numFmts>
      <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
      <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="21"/></cellXfs>`;
    const cells = [
      [1, '45231'],
      [2, '45231.75'],
      [3, '45231'],
      [4, '0.5'],
      [0, '45231'],
      [1, '-4'],
      [1, 'x'],
    ]
      .map(([style, value], at) => `<c r="${'ABCDEFG'[at]}1" s="${style}"><v>${value}</v></c>`)
      .join('');
    const sheets = { Days: `<row>${cells}</row>` };
    expect(describedBlocks(xlsx({ sheets, styles }))[1]).toBe(
      'p1 table: 2023-11-01 | 2023-11-01 18:00:00 | 45231 | 12:00:00 | 45231 | -4 | x',
    );
    const mac = xlsx({ sheets, styles, workbook: '<workbookPr date1904="1"/>' });
    expect(describedBlocks(mac)[1]).toContain('2027-11-02 |');
  });

  it('gives no gap of thousands of cells for a cell far to the right', () => {
    const rows = Array.from({ length: 1000 }, (_, at) => `<row><c r="XFD${at + 1}"><v>${at}</v></c></row>`).join('');
    expect(xlsx({ sheets: { Wide: rows } }).text.length).toBeLessThan(1_000_000);
  });

  it('warns of a sheet that the file does not have, and stops at the limit of unpacked bytes', () => {
    const file = zipFile([
      { path: 'xl/workbook.xml', content: '<workbook><sheets><sheet name="A" r:id="x"/></sheets></workbook>' },
    ]);
    expect(readXlsx('a.xlsx', file, DEFAULT_READ_LIMITS).warnings).toEqual(["The sheet 'A' is missing in the file."]);
    const bomb = xlsxFile({ sheets: { A: ' '.repeat(50_000_000) } });
    expect(() => readXlsx('a.xlsx', bomb, { ...DEFAULT_READ_LIMITS, maxMemoryBytes: 50_000_000 })).toThrow(
      'unpacks to more than',
    );
    expect(() =>
      readXlsx('a.xlsx', xlsxFile({ sheets: { A: '', B: '' } }), { ...DEFAULT_READ_LIMITS, maxPages: 1 }),
    ).toThrow('2 sheets');
  });
});

const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
const shape = (type: string, text: string) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraph(text)}</p:txBody></p:sp>`;

function pptxFile(slides: readonly string[], notes?: string): Uint8Array {
  const ids = slides.map((_, at) => `<p:sldId r:id="rId${at + 1}"/>`).join('');
  return zipFile([
    { path: 'ppt/presentation.xml', content: `<p:presentation><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>` },
    {
      path: 'ppt/_rels/presentation.xml.rels',
      content: relations(slides.map((_, at) => [`rId${at + 1}`, 'slide', `slides/slide${at + 1}.xml`])),
    },
    ...slides.map((xml, at) => ({ path: `ppt/slides/slide${at + 1}.xml`, content: `<p:sld>${xml}</p:sld>` })),
    ...(notes === undefined
      ? []
      : [
          {
            path: 'ppt/slides/_rels/slide1.xml.rels',
            content: relations([['rId9', 'notesSlide', '../notesSlides/notesSlide1.xml']]),
          },
          { path: 'ppt/notesSlides/notesSlide1.xml', content: `<p:notes>${notes}</p:notes>` },
        ]),
  ]);
}

describe('readPptx', () => {
  it('gives each slide a heading with its number and title, its texts, tables and notes', () => {
    const table = `<p:graphicFrame><a:tbl><a:tr><a:tc>${paragraph('Part')}</a:tc><a:tc>${paragraph('kg')}</a:tc></a:tr>
      <a:tr><a:tc>${paragraph('PX-40')}</a:tc><a:tc>${paragraph('3')}</a:tc></a:tr></a:tbl></p:graphicFrame>`;
    const document = readPptx(
      'deck.pptx',
      pptxFile(
        [
          `${shape('ctrTitle', 'The &amp; pump')}${shape('body', 'It pumps.')}${shape('sldNum', '1')}`,
          `${table}<p:sp><p:txBody>${paragraph('free text')}</p:txBody></p:sp><mc:Fallback>${shape('body', 'twice')}</mc:Fallback>`,
        ],
        shape('body', 'Say it slowly.'),
      ),
      DEFAULT_READ_LIMITS,
    );
    expect(describedBlocks(document)).toEqual([
      'p1 heading 1 <Slide 1: The & pump>: Slide 1: The & pump',
      'p1 text: It pumps.',
      'p1 heading 2 <Notes>: Notes',
      'p1 text: Say it slowly.',
      'p2 heading 1 <Slide 2>: Slide 2',
      'p2 table: Part | kg\nPX-40 | 3',
      'p2 text: free text',
    ]);
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 1, 1, 1, 2, 2, 2]);
    expect(document.title).toBe('The & pump');
  });

  it('warns of a slide that the file does not have, and refuses too many', () => {
    const broken = zipFile([
      { path: 'ppt/presentation.xml', content: '<p:presentation><p:sldId r:id="x"/></p:presentation>' },
    ]);
    expect(readPptx('d.pptx', broken, DEFAULT_READ_LIMITS).warnings).toEqual(['Slide 1 is missing in the file.']);
    expect(() => readPptx('d.pptx', pptxFile(['', '']), { ...DEFAULT_READ_LIMITS, maxPages: 1 })).toThrow('2 slides');
  });
});

describe('a file of Office', () => {
  it.each([
    ['plan.xlsx', zipFile([{ path: 'a.txt', content: 'x' }]), 'unsupported', 'not an XLSX file'],
    ['deck.pptx', zipFile([{ path: 'a.txt', content: 'x' }]), 'unsupported', 'not a PPTX file'],
    ['plan.xlsx', Buffer.from('\xd0\xcf\x11\xe0', 'latin1'), 'encrypted', 'needs a password'],
    ['deck.pptx', Buffer.from('words'), 'broken', 'no PPTX file'],
    ['plan.xlsx', xlsxFile({ sheets: { A: '' } }).subarray(0, 150), 'broken', 'damaged'],
  ])('%s with other bytes is named', async (name, bytes, failed, words) => {
    expect(await readBytes(name, bytes, DEFAULT_READ_LIMITS)).toMatchObject({
      failed,
      message: expect.stringContaining(words),
    });
  });
});
