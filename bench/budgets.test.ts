import { describe, expect, it } from 'vitest';
import { checkBudgets } from './budgets.ts';
import type { BenchResult, Measured, Outcome } from './figures.ts';

const timing = (p50: number) => ({ p50, p95: p50, p99: p50, mean: p50, count: 1 });

function measured(p50: number, changes: Partial<Measured['search']> = {}): Measured {
  const search = {
    openMs: 900,
    firstAnswerMs: 5,
    rssBytes: 500_000_000,
    recall: 1,
    cpuMs: p50,
    hybrid: timing(p50),
    keyword: timing(p50),
    vector: timing(p50),
    ...changes,
  };
  return { status: 'measured', version: '1', how: 'somehow', build: { seconds: 1, bytes: 1 }, search };
}

function missed(
  units: number,
  outcomes: Record<string, Outcome>,
  responsiveness: BenchResult['responsiveness'] = null,
): readonly string[] {
  const machine = { cpu: 'any', cores: 2, memoryGb: 8, node: '20.19.0' };
  const result: BenchResult = {
    command: '',
    machine,
    loadBefore: 0,
    responsiveness,
    sizes: [{ units, entities: 1, queries: 1, outcomes }],
  };
  return checkBudgets(result)
    .filter((budget) => !budget.kept)
    .map((budget) => budget.what);
}

describe('checkBudgets', () => {
  it('is content with a fast run', () => {
    expect(missed(100_000, { dowser: measured(2), zvec: measured(3), sqlite: measured(20) })).toEqual([]);
  });

  it.each([
    [1000, 0.5],
    [10_000, 1],
    [100_000, 4],
  ])('misses at %i units when half of all searches take %d ms', (units, p50) => {
    expect(missed(units, { dowser: measured(p50) })).toEqual([`hybrid search, p50 at ${units} units`]);
  });

  it('holds speed to right answers', () => {
    expect(missed(1000, { dowser: measured(0.1, { recall: 0.97 }) })).toEqual(['vector recall@10 at 1000 units']);
  });

  it('holds opening and memory to their limits at the biggest size only', () => {
    const heavy = measured(0.1, { openMs: 1500, rssBytes: 700_000_000 });
    expect(missed(1000, { dowser: heavy })).toEqual([]);
    expect(missed(100_000, { dowser: heavy })).toEqual([
      'opening the store at 100000 units',
      'resident memory at 100000 units',
    ]);
  });

  it('misses when a peer is as fast, or SQLite less than ten times slower', () => {
    expect(missed(100_000, { dowser: measured(2), lancedb: measured(2), sqlite: measured(19.9) })).toEqual([
      'hybrid search vs. LanceDB at 100000 units',
      'hybrid search vs. SQLite FTS5 + sqlite-vec at 100000 units',
    ]);
  });

  it('takes at most 1.2 times as long as zvec', () => {
    expect(missed(100_000, { dowser: measured(1.2), zvec: measured(1) })).toEqual([]);
    expect(missed(100_000, { dowser: measured(1.21), zvec: measured(1) })).toEqual([
      'hybrid search vs. zvec at 100000 units',
    ]);
  });

  it('takes a peer that ran out of time for slower, and one that failed for unproven', () => {
    const orama: Outcome = { status: 'capped', reason: 'not done within 15 minutes' };
    const zvec: Outcome = { status: 'failed', reason: 'cannot be imported' };
    expect(missed(100_000, { dowser: measured(2), orama, zvec })).toEqual(['hybrid search vs. zvec at 100000 units']);
  });

  it('misses when Dowser itself cannot be measured', () => {
    const dowser: Outcome = { status: 'failed', reason: 'no store' };
    expect(missed(1000, { dowser })).toEqual(['Dowser at 1000 units']);
  });

  it('holds the start of a command to bare Node, and waits to the time of the embedding they interrupt', () => {
    const quick = { status: 'measured', helpTimes: 1.9, pauseShare: 0.2, queryShare: 0.09 } as const;
    expect(missed(1000, {}, quick)).toEqual([]);
    expect(missed(1000, {}, { ...quick, helpTimes: 2, pauseShare: 0.25, queryShare: 0.1 })).toEqual([
      '`dowser --help` vs. `node -e 0`',
      'longest event loop pause while 200 texts are embedded',
      "wait for a query's embedding while 200 texts are embedded",
    ]);
    expect(missed(1000, {}, { status: 'failed', reason: 'no model' })).toEqual(['command start and event loop']);
  });

  it('promises nothing about peers alone', () => {
    expect(missed(1000, { zvec: measured(1) })).toEqual([]);
  });
});
