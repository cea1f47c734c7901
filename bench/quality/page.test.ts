import { describe, expect, it } from 'vitest';
import { partsOf, table } from './markdown.ts';
import { parseOptions } from './options.ts';
import { qualityPage } from './page.ts';

const headings = ['One', 'Two'];
const page = (measured: Record<string, readonly string[]>, before = '') =>
  qualityPage({ headings, measured: new Map(Object.entries(measured)), before });

describe('the page of quality', () => {
  it('has its sections in order, whatever was measured first', () => {
    const text = page({ Two: ['2'], One: ['1'] });
    expect([...partsOf(text).keys()]).toEqual(['', 'One', 'Two', 'Your own']);
  });

  it('keeps what was not measured again, and nothing that it does not know', () => {
    const before = `${page({ One: ['old', '', '### Inner', '', 'more'], Two: ['2'] })}\n## Gone\n\nx\n`;
    const text = page({ Two: ['new'] }, before);
    expect(text).toContain('## One\n\nold\n\n### Inner\n\nmore\n');
    expect(text).toContain('## Two\n\nnew\n');
    expect(text).not.toContain('Gone');
    expect(page({ Two: ['new'] }, text)).toBe(text);
  });

  it('writes tables with figures on the right', () => {
    expect(table(['set<', 'value'], [['a', '0.5']])).toEqual(['| set | value |', '| --- | --: |', '| a | 0.5 |']);
  });
});

describe('its options', () => {
  it('measure everything by default', () => {
    expect(parseOptions(['sets'])).toMatchObject({ data: 'sets', queries: null, servers: null, out: null });
    expect(parseOptions(['sets', '--only', 'names, crowding'])).toMatchObject({ only: ['names', 'crowding'] });
    expect(parseOptions(['--help'])).toBe('help');
  });

  it.each([
    [[], 'Name one folder'],
    [['a', 'b'], 'Name one folder'],
    [['a', '--only', 'speed'], "--only has 'speed'; there are first-tool"],
    [['a', '--queries', '0', '--out', 'x'], "--queries has '0'"],
    [['a', '--queries', '5'], '--queries is for a quick look: name another page with --out'],
    [['a', '--servers', '5'], '--servers is for a quick look: name another page with --out'],
    [['a', '--servers', 'few', '--out', 'x'], "--servers has 'few'"],
  ])('refuse %j with a sentence', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
