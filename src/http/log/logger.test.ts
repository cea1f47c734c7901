import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from './logger.ts';

it.each([
  ['trace', true],
  ['debug', true],
  ['info', false],
  ['silent', false],
] as const)('at level %s gathers lines for debugging: %s', (level, wanted) => {
  expect(createLogger(level).debug !== undefined).toBe(wanted);
});

describe('the lines of requests', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    vi.useFakeTimers();
    folder = mkdtempSync(join(tmpdir(), 'dowser-log-'));
    file = join(folder, 'log');
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const messages = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);

  it('are written together after a moment', () => {
    const logger = createLogger('info', file);
    logger.info({}, 'one');
    logger.info({}, 'two');
    expect(messages()).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(messages()).toEqual(['one', 'two']);
    logger.info({}, 'three');
    vi.advanceTimersByTime(50);
    expect(messages()).toEqual(['one', 'two', 'three']);
  });

  it.each(['warn', 'error'] as const)('are written before a line of level %s, at once', (level) => {
    const logger = createLogger('info', file);
    logger.info({}, 'one');
    logger[level]({}, 'wrong');
    expect(messages()).toEqual(['one', 'wrong']);
  });

  it('wait the whole moment after a warning', () => {
    const logger = createLogger('info', file);
    logger.info({}, 'one');
    vi.advanceTimersByTime(40);
    logger.warn({}, 'careful');
    logger.info({}, 'two');
    vi.advanceTimersByTime(40);
    expect(messages()).toEqual(['one', 'careful']);
    vi.advanceTimersByTime(10);
    expect(messages()).toEqual(['one', 'careful', 'two']);
  });

  it('do not keep a process from its end', () => {
    vi.useRealTimers();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const logger = createLogger('info', file);
    const before = timers();
    logger.info({}, 'one');
    expect(timers()).toBe(before);
    logger.warn({}, 'careful');
  });

  it('are written when there are many', () => {
    const logger = createLogger('info', file);
    for (let n = 0; n < 1000; n++) logger.info({}, 'request');
    expect(messages().length).toBeGreaterThan(700);
    vi.advanceTimersByTime(50);
    expect(messages()).toHaveLength(1000);
  });

  it('are written before the process exits', () => {
    const before = process.listeners('exit');
    const logger = createLogger('info', file);
    const [added] = process.listeners('exit').filter((listener) => !before.includes(listener));
    logger.info({}, 'last');
    added!(0);
    expect(messages()).toEqual(['last']);
  });
});
