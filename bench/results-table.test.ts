import { describe, expect, it } from 'vitest';
import type { Measured, SizeResult } from './figures.ts';
import { HEADINGS, markdownTable, rowsOf, terminalTable } from './results-table.ts';

function measured(p50: number, openMs: number | null): Measured {
  const timing = { p50, p95: 2 * p50, p99: 3 * p50, mean: p50, count: 500 };
  const search = { openMs, firstAnswerMs: 4, rssBytes: 2e8, recall: 0.9876, cpuMs: p50 };
  return {
    status: 'measured',
    version: '1.2.3',
    how: 'somehow',
    build: { seconds: 12.34, bytes: openMs === null ? null : 5e7 },
    search: { ...search, hybrid: timing, keyword: timing, vector: timing },
  };
}

const result: SizeResult = {
  units: 1000,
  entities: 400,
  queries: 500,
  outcomes: {
    zvec: { status: 'failed', reason: 'Cannot find package' },
    orama: measured(25, null),
    dowser: measured(0.5, 30),
  },
};

describe('rowsOf', () => {
  it('puts the fastest first and those without figures last', () => {
    expect(rowsOf(result).map((row) => row[0])).toEqual(['Dowser', 'Orama', 'zvec']);
  });

  it('says loudly why there are no figures', () => {
    expect(rowsOf(result).at(-1)![1]).toBe('FAILED: Cannot find package');
  });

  it('gives every contender as a multiple of Dowser', () => {
    const column = HEADINGS.indexOf('x Dowser');
    expect(rowsOf(result).map((row) => row[column])).toEqual(['1.0', '50.0', '-']);
  });

  it('fills every column of every row', () => {
    for (const row of rowsOf(result)) expect(row).toHaveLength(HEADINGS.length);
  });

  it('does not give a time to open for what is rebuilt', () => {
    expect(rowsOf(result)[1]![HEADINGS.indexOf('open ms')]).toBe('rebuilt');
  });
});

describe('the tables', () => {
  it('line up on the terminal and leave room for a reason', () => {
    const [heading, first, second, failed] = terminalTable(result).split('\n');
    expect(first).toHaveLength(heading!.length);
    expect(second).toHaveLength(heading!.length);
    expect(failed).toMatch(/^zvec +FAILED: Cannot find package$/);
  });

  it('keep a bar in a cell from making a column of its own', () => {
    expect(markdownTable(['a'], [['x|y']])).toBe('| a |\n|---|\n| x\\|y |');
  });
});
