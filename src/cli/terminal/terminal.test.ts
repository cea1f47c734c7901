import { describe, expect, it } from 'vitest';
import { toTerminal } from './terminal.ts';

const stream = (isTTY: boolean, columns?: number) => ({
  write: () => true,
  isTTY,
  ...(columns === undefined ? {} : { columns }),
});
const paints = (isTTY: boolean, env: NodeJS.ProcessEnv) => toTerminal(stream(isTTY), env).style.red('x') !== 'x';

describe('toTerminal', () => {
  it('colors on a terminal only, and not where NO_COLOR or a dumb terminal forbids it', () => {
    expect(paints(true, {})).toBe(true);
    expect(paints(true, { NO_COLOR: '' })).toBe(true);
    expect(paints(true, { NO_COLOR: '1' })).toBe(false);
    expect(paints(true, { TERM: 'dumb' })).toBe(false);
    expect(paints(false, {})).toBe(false);
  });

  it('erases a line only on a terminal that can, colored or not', () => {
    const erases = (isTTY: boolean, env: NodeJS.ProcessEnv) => toTerminal(stream(isTTY), env).eraseLine !== '';
    expect(erases(true, {})).toBe(true);
    expect(erases(true, { NO_COLOR: '1' })).toBe(true);
    expect(erases(true, { TERM: 'dumb' })).toBe(false);
    expect(erases(false, {})).toBe(false);
  });

  it('takes the width from the terminal, then from COLUMNS, then a default', () => {
    expect(toTerminal(stream(true, 42), { COLUMNS: '60' }).columns).toBe(42);
    expect(toTerminal(stream(false), { COLUMNS: '60' }).columns).toBe(60);
    expect(toTerminal(stream(false), {}).columns).toBe(100);
    expect(toTerminal(stream(true, 0), { COLUMNS: 'wide' }).columns).toBe(100);
  });
});
