import { describe, expect, it } from 'vitest';
import { readCsv, readTsv } from './delimited.ts';

const csv = (text: string) => readCsv({ name: 'stock.csv', text });
const rowsOf = ({ text, blocks }: ReturnType<typeof csv>) => {
  const { end, table } = blocks[0]!;
  return table!.rowStarts.map((at, i) => text.slice(at, table!.rowStarts[i + 1] ?? end).trimEnd());
};

describe('readCsv', () => {
  it('gives one table with its headers and rows', () => {
    const document = csv('name,price\nwidget,3\n\ngear,4\n');
    expect(document.blocks[0]!.table!.headers).toEqual(['name', 'price']);
    expect(rowsOf(document)).toEqual(['widget,3', 'gear,4']);
    expect(document.title).toBe('stock');
  });

  it.each([
    ['a row over two lines', 'n,t\n"a","one\ntwo"\nb,c', ['"a","one\ntwo"', 'b,c']],
    ['doubled quotes', 'n,t\n"a ""x"", b","c"\nd,e', ['"a ""x"", b","c"', 'd,e']],
    ['a quote inside a cell', 'n,t\n5" pipe,x\ny,z', ['5" pipe,x', 'y,z']],
    ['a quote that is never closed', 'n,t\n"open,x\ny,z', ['"open,x', 'y,z']],
    ['semicolons', 'n;t\na;1,5', ['a;1,5']],
    ['one column', 'name\na\nb', ['a', 'b']],
  ])('reads %s', (_, text, rows) => {
    expect(rowsOf(csv(text))).toEqual(rows);
  });

  it('reads headers in quotes', () => {
    expect(csv('"a ""x""", b ,"c,d"\n1,2,3').blocks[0]!.table!.headers).toEqual(['a "x"', 'b', 'c,d']);
  });

  it('takes a first row with numbers or empty cells for data', () => {
    expect(csv('1,2\n3,4').blocks[0]!.table).toMatchObject({ headers: [], headerEnd: 0, rowStarts: [0, 4] });
    expect(csv('a,\nb,c').blocks[0]!.table!.headers).toEqual([]);
    expect(csv('only,header').blocks[0]!.table!.headers).toEqual([]);
  });

  it('reads an empty file', () => expect(csv('\n \n').blocks).toEqual([]));

  it('reads tabs', () => {
    const document = readTsv({ name: 'x.tsv', text: 'a, b\tc\n1\t2' });
    expect(document.blocks[0]!.table!.headers).toEqual(['a, b', 'c']);
  });
});
