import { afterEach, expect, it, vi } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import type { FileChange, FileChanges } from '../contract/document-requests.ts';
import { SendQueue } from './send-queue.ts';

afterEach(() => void vi.useRealTimers());

const file = (n: number): FileChange => ({ id: `${n}`, path: `${n}.md`, size: 1, mtime_ms: 1, hash: '', sent: false });

/** A queue whose requests are noted; those with the file `refused` are refused. */
function opened(refused?: string) {
  const requests: (readonly string[])[] = [];
  const failed: string[] = [];
  const putFiles = async (_name: string, { put = [] }: FileChanges) => {
    requests.push(put.map(({ id }) => id));
    if (put.some(({ id }) => id === refused)) throw new DowserError('INVALID_REQUEST', 'Too long.');
    return { stored: put.length, removed: 0, unknown: [] };
  };
  const queue = new SendQueue({ putFiles }, 'handbook', { onRefused: ({ id }) => void failed.push(id) });
  return { queue, requests, failed };
}

it('sends many small files together, and no more text at once than a write takes a few milliseconds for', async () => {
  const { queue, requests } = opened();
  for (let n = 0; n < 40; n++) await queue.add(file(n), 10);
  for (let n = 40; n < 44; n++) await queue.add(file(n), 20_000);
  await queue.flush();
  expect(requests.map(({ length }) => length)).toEqual([32, 9, 1, 1, 1]);
});

it('sends the files of a refused request one by one', async () => {
  const { queue, requests, failed } = opened('1');
  for (let n = 0; n < 3; n++) await queue.add(file(n), 10);
  await queue.flush();
  expect(requests).toEqual([['0', '1', '2'], ['0'], ['1'], ['2']]);
  expect(failed).toEqual(['1']);
});

it('throws a failure that is not about a file where it is awaited next', async () => {
  const failure = new DowserError('ENGINE_UNAVAILABLE', 'Closed.');
  const queue = new SendQueue({ putFiles: () => Promise.reject(failure) }, 'handbook', { onRefused: () => {} });
  await queue.add(file(0), 40_000);
  await expect(queue.flush()).rejects.toBe(failure);
});

it('rests after each write if others ask the server too, before the next write', async () => {
  const steps: string[] = [];
  const putFiles = async () => {
    steps.push('write');
    return { stored: 1, removed: 0, unknown: [] };
  };
  const pause = async () => void steps.push('rest');
  for (const rests of [true, false]) {
    const queue = new SendQueue({ putFiles }, 'handbook', { onRefused: () => {}, rests, pause });
    for (let n = 0; n < 2; n++) await queue.add(file(n), 40_000);
    await queue.flush();
  }
  expect(steps).toEqual(['write', 'rest', 'write', 'rest', 'write', 'write']);
});

it('rests for longer than the write took, and no longer than a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const rests: number[] = [];
  const took = [10, 5000];
  const putFiles = async () => {
    vi.advanceTimersByTime(took[rests.length]!);
    return { stored: 1, removed: 0, unknown: [] };
  };
  const pause = async (ms: number) => void rests.push(ms);
  const queue = new SendQueue({ putFiles }, 'handbook', { onRefused: () => {}, rests: true, pause });
  for (let n = 0; n < 2; n++) await queue.add(file(n), 40_000);
  await queue.flush();
  expect(rests).toEqual([15, 1000]);
});
