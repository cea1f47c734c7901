import { beforeEach, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { GuardedReranker } from './guarded-reranker.ts';
import type { Reranker } from './reranker.ts';

const TEXTS = [{ text: 'list_alarms', server: 'Desk' }];
const refusal = (reason: string, message = reason) =>
  new DowserError('EMBEDDER_UNAVAILABLE', message, { details: { reason } });

let now: number;
let asked: number;
/** What the reranker does: a failure, `hangs` until it is aborted, or null to work. */
let state: DowserError | 'hangs' | null;
let changes: (string | undefined)[];
beforeEach(() => {
  now = 0;
  asked = 0;
  state = null;
  changes = [];
});

const inner: Reranker = {
  id: 'rerank/m',
  async read(_, texts, { signal } = {}) {
    asked++;
    if (state instanceof DowserError) throw state;
    if (state === 'hangs')
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    return texts.map(() => 1);
  },
  close: async () => {},
};

const guarded = (timeoutMs = 20_000) =>
  new GuardedReranker(inner, { timeoutMs, now: () => now, onChange: (error) => changes.push(error?.details?.reason) });

it('is not asked after two failures in a row, and tried again after a pause that doubles', async () => {
  const reranker = guarded();
  state = refusal('it answers 401');
  const failing = () => expect(reranker.read('q', TEXTS)).rejects.toBe(state);
  for (let n = 0; n < 10; n++) await failing();
  expect(asked).toBe(2);
  now = 1000;
  await failing();
  now = 2999;
  await failing();
  expect(asked).toBe(3);
  now = 3000;
  state = null;
  expect(await reranker.read('q', TEXTS)).toEqual([1]);
  expect(await reranker.read('q', TEXTS)).toEqual([1]);
  expect(asked).toBe(5);
});

it('reports once that it fails, that the reason is another one, and that it works again', async () => {
  const reranker = guarded();
  const reasons = ['it answers 401', 'it answers 401', 'it answers 503', null, null] as const;
  for (const [n, reason] of reasons.entries()) {
    now += 100_000;
    state = reason === null ? null : refusal(reason, `${reason}, request ${n}`);
    await reranker.read('q', TEXTS).catch(() => {});
  }
  expect(changes).toEqual(['it answers 401', 'it answers 503', undefined]);
});

it('says how long it was waited for', async () => {
  state = 'hangs';
  await expect(guarded(20).read('q', TEXTS)).rejects.toMatchObject({
    code: 'EMBEDDER_UNAVAILABLE',
    message: 'The reranker rerank/m did not answer within 20 ms.',
    details: { reason: 'it did not answer within 20 ms' },
  });
});

it('does not count a search that is aborted', async () => {
  const reranker = guarded();
  state = 'hangs';
  for (let n = 0; n < 5; n++) {
    const searching = new AbortController();
    const reading = reranker.read('q', TEXTS, { signal: searching.signal });
    searching.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
  }
  expect([asked, changes]).toEqual([5, []]);
});

it('reports nothing after it is closed', async () => {
  const reranker = guarded();
  state = refusal('it cannot be reached');
  const reading = reranker.read('q', TEXTS);
  await reranker.close();
  await expect(reading).rejects.toBe(state);
  expect(changes).toEqual([]);
});
