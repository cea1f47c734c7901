import { describe, expect, it } from 'vitest';
import { terminalLogger } from './log-lines.ts';
import { toTerminal } from './terminal.ts';

const NOON = new Date(2026, 0, 1, 12, 0, 0).getTime();

function watched(level: Parameters<typeof terminalLogger>[1], env: NodeJS.ProcessEnv = { NO_COLOR: '1' }) {
  let text = '';
  let time = NOON;
  const terminal = toTerminal({ write: (part) => (text += part), isTTY: true }, env);
  const logger = terminalLogger(terminal, level, { now: () => time });
  return {
    logger,
    /** The lines without the code that clears whatever stands there. */
    lines: () => text.replaceAll('\r\u001b[2K', '').split('\n').slice(0, -1),
    raw: () => text,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('terminalLogger', () => {
  it('writes a short line with the time and the facts, in place of a progress bar', () => {
    const { logger, lines, raw } = watched('info');
    logger.info({ method: 'GET', path: '/api/health', status: 200, ms: 1.25 }, 'request');
    expect(lines()).toEqual(['12:00:00 request method=GET path=/api/health status=200 ms=1.25']);
    expect(raw().startsWith('\r\u001b[2K')).toBe(true);
  });

  it('keeps what a caller sent on its line', () => {
    const { logger, lines } = watched('info');
    logger.info({ path: '/a\nerror: forged\u001b[31m' }, 'request');
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).not.toContain('\u001b');
  });

  it('says only what the level asks for', () => {
    const said = (level: Parameters<typeof terminalLogger>[1]) => {
      const { logger, lines } = watched(level);
      logger.debug?.({}, 'd');
      logger.info({}, 'i');
      logger.warn({}, 'w');
      logger.error({}, 'e');
      return lines().map((line) => line.at(-1));
    };
    expect(said('trace')).toEqual(['d', 'i', 'w', 'e']);
    expect(said('info')).toEqual(['i', 'w', 'e']);
    expect(said('warn')).toEqual(['w', 'e']);
    expect(said('error')).toEqual(['e']);
    expect(said('silent')).toEqual([]);
  });

  it('says once what goes on failing in the same way, and again after ten minutes', () => {
    const { logger, lines, pass } = watched('warn');
    const fail = (code: string, retry_in_ms: number) => logger.warn({ code, retry_in_ms }, 'embedding failed');
    fail('EMBEDDER_UNAVAILABLE', 1000);
    fail('EMBEDDER_UNAVAILABLE', 2000);
    fail('EMBEDDER_REJECTED', 2000);
    pass(11 * 60_000);
    fail('EMBEDDER_UNAVAILABLE', 30_000);
    expect(lines()).toEqual([
      '12:00:00 warning: embedding failed code=EMBEDDER_UNAVAILABLE retry_in_ms=1000',
      '12:00:00 warning: embedding failed code=EMBEDDER_REJECTED retry_in_ms=2000',
      '12:11:00 warning: embedding failed code=EMBEDDER_UNAVAILABLE retry_in_ms=30000',
    ]);
  });

  it('shows where a defect happened', () => {
    const { logger, raw } = watched('warn');
    logger.error({ err: new TypeError('x is not a function') }, 'request failed');
    expect(raw()).toMatch(/error: request failed\nTypeError: x is not a function\n +at /);
  });

  it('lets nothing in a trace steer the terminal, line by line', () => {
    const { logger, lines } = watched('warn');
    const err = new TypeError('no\u001b[2J');
    err.stack = 'TypeError: no\u001b[2J\u0007\n    at a\u009b31m (b.ts:1)\r\n    at c';
    logger.error({ err }, 'request failed');
    logger.error({ err: 'words\u001b[2J' }, 'request failed');
    expect(lines()).toEqual([
      '12:00:00 error: request failed',
      'TypeError: no [2J',
      '    at a 31m (b.ts:1)',
      '    at c',
      '12:00:00 error: request failed',
      'words [2J',
    ]);
  });

  it('erases nothing on a terminal that cannot', () => {
    const { logger, raw } = watched('warn', { TERM: 'dumb' });
    logger.warn({}, 'w');
    expect(raw()).toBe('12:00:00 warning: w\n');
  });

  it('forgets the trouble said longest ago, so that memory stays bounded', () => {
    const { logger, lines, pass } = watched('warn');
    const fail = (code: string) => logger.warn({ code }, 'x');
    fail('first');
    fail('second');
    pass(11 * 60_000);
    fail('first');
    for (let i = 0; i < 999; i += 1) fail(`other ${i}`);
    const before = lines().length;
    fail('first');
    expect(lines()).toHaveLength(before);
    fail('one more');
    fail('first');
    expect(lines()).toHaveLength(before + 2);
  });

  it('colors only where the terminal may', () => {
    const painted = watched('warn', {});
    painted.logger.warn({}, 'w');
    expect(painted.raw()).toContain('\u001b[33mwarning:');
    const plain = watched('warn');
    plain.logger.warn({}, 'w');
    expect(plain.lines()).toEqual(['12:00:00 warning: w']);
  });
});
