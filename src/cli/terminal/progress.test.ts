import { describe, expect, it } from 'vitest';
import { formatSeconds, Progress } from './progress.ts';
import { toTerminal } from './terminal.ts';

function setUp(isTTY: boolean) {
  const written: string[] = [];
  const terminal = toTerminal({ write: (text) => written.push(text), isTTY, columns: 80 }, { NO_COLOR: '1' });
  let ms = 0;
  const progress = new Progress({ terminal, label: 'embedding', unit: 'texts', now: () => ms });
  return { written, progress, at: (now: number) => (ms = now) };
}

describe('Progress', () => {
  it('redraws one line on a terminal, ten times a second at most', () => {
    const { written, progress, at } = setUp(true);
    for (let ms = 0; ms <= 1000; ms += 10) {
      at(ms);
      progress.update(ms, 2000);
    }
    expect(written.length).toBe(11);
    expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
    expect(written.at(-1)).toContain(`${'█'.repeat(12)}${'░'.repeat(12)}  50%`);
    progress.clear();
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('writes plain lines elsewhere, one a second at most', () => {
    const { written, progress, at } = setUp(false);
    for (let ms = 0; ms <= 3000; ms += 10) {
      at(ms);
      progress.update(ms, 4000);
    }
    progress.clear();
    expect(written).toEqual([
      'embedding  25%  1,000 texts, 1,000 texts/s, 3 s left\n',
      'embedding  50%  2,000 texts, 1,000 texts/s, 2 s left\n',
      'embedding  75%  3,000 texts, 1,000 texts/s, 1 s left\n',
    ]);
  });

  it('can count something else than it measures', () => {
    const { written, progress, at } = setUp(false);
    at(2000);
    progress.update(50, 100, 7);
    expect(written).toEqual(['embedding  50%  7 texts, 4 texts/s, 2 s left\n']);
  });

  it('survives a total of nothing', () => {
    const { written, progress, at } = setUp(false);
    at(2000);
    progress.update(0, 0);
    expect(written).toEqual(['embedding   0%  0 texts\n']);
  });
});

describe('formatSeconds', () => {
  it.each([
    [0.4, '0 s'],
    [59.6, '1 min 0 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
  ])('%d is %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});
