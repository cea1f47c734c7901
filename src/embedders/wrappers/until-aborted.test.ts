import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

describe('untilAborted', () => {
  it('waits for the promise', async () => {
    expect(await untilAborted(Promise.resolve(7), undefined)).toBe(7);
    expect(await untilAborted(Promise.resolve(7), new AbortController().signal)).toBe(7);
  });

  it('throws the reason, before and during the wait', async () => {
    const stop = new AbortController();
    const waiting = untilAborted(new Promise(() => undefined), stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(untilAborted(Promise.resolve(7), stop.signal)).rejects.toThrow('enough');
  });

  it('leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await untilAborted(Promise.resolve(7), signal);
    await untilAborted(Promise.reject(new Error('x')), signal).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
