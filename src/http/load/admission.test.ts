import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DowserError } from '../../model/errors/errors.ts';
import { Admission } from './admission.ts';

/** Work that ends when it is told to. */
function held() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  const work = (n: number) => () => {
    started.push(n);
    return new Promise<number>((resolve) => ends.push(() => resolve(n)));
  };
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { work, started, endAll };
}

/** Leaves when the work is over. */
async function run<T>(admission: Admission, work: () => Promise<T>, signalOf?: () => AbortSignal): Promise<T> {
  const leave = await admission.enter(signalOf);
  return work().finally(leave);
}

const limits = { running: 2, waiting: 2, waitMs: 60_000 };

describe('Admission', () => {
  it('starts an idle request at once', () => {
    const { work, started } = held();
    void run(new Admission(limits), work(1));
    return Promise.resolve().then(() => expect(started).toEqual([1]));
  });

  it('starts one request in each turn of the event loop, in the order they came', async () => {
    const admission = new Admission({ running: 100, waiting: 0, waitMs: 60_000 });
    const started: number[] = [];
    const all = Array.from({ length: 4 }, (_, n) => run(admission, async () => void started.push(n)));
    const startedByTurn: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await setImmediate();
      startedByTurn.push(started.length);
    }
    await Promise.all(all);
    expect(startedByTurn).toEqual([2, 3, 4, 4]);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  it('runs up to its limit, keeps some waiting, and refuses the rest', async () => {
    const admission = new Admission(limits);
    const { work, started, endAll } = held();
    const runs = [1, 2, 3, 4].map((n) => run(admission, work(n)));
    await expect(run(admission, work(5))).rejects.toMatchObject({ code: 'OVERLOADED', httpStatus: 503 });
    expect(() => admission.check()).toThrow('at work');
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(started).toEqual([1, 2]);
    expect(admission.counts).toEqual({ running: 2, waiting: 2, refused: 2 });
    while (started.length < 4 || admission.counts.running > 0) {
      endAll();
      await setImmediate();
    }
    expect(await Promise.all(runs)).toEqual([1, 2, 3, 4]);
    expect(admission.counts).toEqual({ running: 0, waiting: 0, refused: 2 });
  });

  describe('after it was full', () => {
    /** A server of eight places that are all held, and has refused one request. */
    async function full(running: number) {
      const admission = new Admission({ running, waiting: 8 - running, waitMs: 60_000 });
      const leaves: (() => void)[] = [];
      const enter = () => Promise.race([admission.enter().then((leave) => void leaves.push(leave)), turns()]);
      const leave = async () => {
        leaves.shift()!();
        await turns();
      };
      for (let request = 0; request < 8; request++) await enter();
      await expect(enter()).rejects.toThrow(`${running} requests at work and ${8 - running} waiting`);
      return { admission, enter, leave };
    }
    const turns = async () => {
      for (let turn = 0; turn < 3; turn++) await setImmediate();
    };

    it('gives three quarters of its places for eight rounds, then all', async () => {
      const { admission, enter, leave } = await full(4);
      await leave();
      await expect(enter()).rejects.toThrow('4 requests at work and 3 waiting');
      await leave();
      await expect(enter()).rejects.toThrow('4 requests at work and 2 waiting');
      for (let served = 2; served < 63; served++) {
        await leave();
        await enter();
      }
      await expect(enter()).rejects.toThrow('4 requests at work and 2 waiting');
      await leave();
      for (let request = 0; request < 3; request++) await enter();
      expect(admission.counts).toEqual({ running: 4, waiting: 4, refused: 4 });
    });

    it('gives all of them again as soon as less than half are held', async () => {
      const { admission, enter, leave } = await full(4);
      for (let request = 0; request < 5; request++) await leave();
      for (let request = 0; request < 5; request++) await enter();
      expect(admission.counts).toEqual({ running: 4, waiting: 4, refused: 1 });
    });

    it('never gives fewer than may run: long requests do not hold up others', async () => {
      const { admission, enter, leave } = await full(8);
      await leave();
      await enter();
      expect(admission.counts).toEqual({ running: 8, waiting: 0, refused: 1 });
    });
  });

  it('refuses nothing before it is full', async () => {
    const admission = new Admission({ running: 8, waiting: 0, waitMs: 60_000 });
    for (let round = 0; round < 3; round++) {
      const leaves = [];
      for (let request = 0; request < 8; request++) leaves.push(await admission.enter());
      for (const leave of leaves) leave();
    }
    expect(admission.counts).toEqual({ running: 0, waiting: 0, refused: 0 });
  });

  it('tells refused requests to come back when those before them are served', async () => {
    let now = 0;
    const admission = new Admission({ running: 1, waiting: 1, waitMs: 60_000, now: () => now });
    const first = await admission.enter();
    now = 2000;
    first();
    void admission.enter();
    void admission.enter();
    const refused = async () => admission.enter().then(String, ({ details }: DowserError) => details?.retry_after);
    expect([await refused(), await refused(), await refused()]).toEqual([2, 4, 6]);
  });

  it('gives the place of failed work to the next', async () => {
    const admission = new Admission({ running: 1, waiting: 1, waitMs: 60_000 });
    const failing = run(admission, async () => {
      throw new Error('no');
    });
    const next = run(admission, async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('forgets a request whose client has left, and refuses one that waits too long', async () => {
    const admission = new Admission({ running: 1, waiting: 2, waitMs: 1 });
    const { work, started, endAll } = held();
    const first = run(admission, work(1));
    const client = new AbortController();
    const gone = run(admission, work(2), () => client.signal);
    const late = run(admission, work(3));
    client.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await expect(late).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(admission.counts).toEqual({ running: 1, waiting: 0, refused: 1 });
    endAll();
    await first;
    expect(started).toEqual([1]);
  });
});
