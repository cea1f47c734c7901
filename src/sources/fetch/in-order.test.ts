import { describe, expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

const signal = new AbortController().signal;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('inOrder', () => {
  it('gives results in the order of the items, a few at a time', async () => {
    let running = 0;
    let most = 0;
    const results: number[] = [];
    for await (const result of inOrder([30, 1, 10, 1, 1], 2, signal, async (ms) => {
      most = Math.max(most, ++running);
      await wait(ms);
      running--;
      return ms;
    })) {
      results.push(result);
    }
    expect([results, most]).toEqual([[30, 1, 10, 1, 1], 2]);
  });

  it('waits for what is under way before it fails', async () => {
    let ended = 0;
    const work = async (item: number) => {
      await wait(item);
      ended++;
      if (item === 1) throw new Error('one');
      return item;
    };
    const drain = async () => {
      for await (const _ of inOrder([1, 20], 2, signal, work));
    };
    await expect(drain()).rejects.toThrow('one');
    expect(ended).toBe(2);
  });

  it('begins nothing new after it was told to stop', async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    const drain = async () => {
      for await (const _ of inOrder([1, 2, 3], 1, stop.signal, async (item) => {
        begun.push(item);
        await wait(5);
        stop.abort(new Error('enough'));
      }));
    };
    await expect(drain()).rejects.toThrow('enough');
    expect(begun).toEqual([1]);
  });
});
