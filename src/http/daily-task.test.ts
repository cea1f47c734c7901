import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/engine-fixtures.ts';
import { parseSettings } from '../config.ts';
import { openRegistry } from '../open.ts';
import { startDailyTask } from './daily-task.ts';
import { startServer } from './server.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const HOUR_MS = 3_600_000;

it('runs at once and every day, and an hour after a failure, until it is stopped', async () => {
  let runs = 0;
  const errors: unknown[] = [];
  const stop = startDailyTask(
    async () => {
      runs += 1;
      if (runs === 1) throw new Error('the record is locked');
    },
    (error) => errors.push(error),
  );
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect([runs, errors.length]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(23 * HOUR_MS);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(25 * HOUR_MS);
  expect(runs).toBe(4);
  await stop();
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS);
  expect(runs).toBe(4);
});

it('a server deletes for good what was forgotten long ago, also when nothing new is forgotten', async () => {
  vi.useRealTimers();
  const folder = temporaryFolder();
  const settings = { data_dir: folder.path, embeddings_provider: 'off', port: 0 };
  const open = () => openRegistry(settings, { background: false });
  const before = await open();
  const forgotten = { type: 'memory', is_enabled: false };
  // Far from now: not deleted until then.
  const recent = '2999-01-01T00:00:00Z';
  await before.put({ ...forgotten, path: '/old', content: 'the old code', deleted_at: '2020-01-01T00:00:00Z' });
  await before.put({ ...forgotten, path: '/recent', content: 'the new code', deleted_at: recent });
  await before.close();
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({ registry: await open(), version: '0', logger, settings: parseSettings(settings) });
  await server.close();
  const after = await open();
  expect((await after.rows('memory')).map(({ path }) => path)).toEqual(['/recent']);
  await after.close();
  folder.remove();
});
