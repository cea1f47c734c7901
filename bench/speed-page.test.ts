import { describe, expect, it } from 'vitest';
import { checkBudgets } from './budgets.ts';
import type { BenchResult, Measured } from './figures.ts';
import { speedPage } from './speed-page.ts';

function measured(p50: number, openMs: number): Measured {
  const timing = { p50, p95: p50, p99: p50, mean: p50, count: 500 };
  const search = { openMs, firstAnswerMs: 4, rssBytes: 2e8, recall: 1, cpuMs: p50 };
  return {
    status: 'measured',
    version: '1.2.3',
    how: 'An index of its own.',
    build: { seconds: 10, bytes: 1e6 },
    search: { ...search, hybrid: timing, keyword: timing, vector: timing },
  };
}

const result: BenchResult = {
  command: 'npm run bench -- --write',
  machine: { cpu: 'A Processor', cores: 2, memoryGb: 8, node: '20.19.0' },
  loadBefore: 0.1,
  responsiveness: { status: 'measured', helpTimes: 1.4, pauseShare: 0.02, queryShare: 0.01 },
  sizes: [
    {
      units: 100_000,
      entities: 40_000,
      queries: 500,
      outcomes: {
        dowser: measured(2, 900),
        sqlite: measured(80, 3),
        orama: { status: 'capped', reason: 'not done within 15 minutes' },
      },
    },
  ],
};
const page = speedPage(result, checkBudgets(result), '## Beside an earlier build\n\nAs fast.\n');

describe('the speed page', () => {
  it('names the command and the machine', () => {
    expect(page).toContain('```\nnpm run bench -- --write\n```');
    expect(page).toContain('A Processor, 2 cores, 8 GB, Node 20.19.0; load before the run 0.1.');
  });

  it('says what all contenders must do', () => {
    expect(page).toContain('fused into 10 results with their texts. About one unit in ten is hidden');
    expect(page).toContain('an answer with a hidden unit or without its text stops the run');
  });

  it('tells where others are better, and only there', () => {
    expect(page).toContain('- **100,000 units**: opening 900 ms (SQLite FTS5 + sqlite-vec 3.00).');
  });

  it('shows who could not be measured in the table and in the list of what each ran', () => {
    expect(page).toContain('| Orama | CAPPED: not done within 15 minutes |');
    expect(page).toContain('- **Orama**: capped, not done within 15 minutes.');
  });

  it('says what each ran, with its version', () => {
    expect(page).toContain('- **SQLite FTS5 + sqlite-vec** 1.2.3: An index of its own.');
  });

  it('ends with the budgets', () => {
    expect(page).toContain('| hybrid search, p50 at 100000 units | under 4 ms | 2.00 ms | kept |');
    expect(page).toContain('| `dowser --help` vs. `node -e 0` | under 2 times | 1.4 times | kept |');
  });
});
