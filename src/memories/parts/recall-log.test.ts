import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { RecallLog } from './recall-log.ts';

const NOW = new Date('2026-11-17T10:00:00Z');

it('adds up what was stored and what was not', async () => {
  const registry = await memoryRegistry();
  await registry.put({ type: 'memory', path: '/a', content: 'a' });
  const log = new RecallLog(registry);
  log.note(['/a', '/gone'], NOW);
  await log.flush();
  log.note(['/a'], new Date(NOW.getTime() + 1000));
  const recall = { count: 2, first: '2026-11-17T10:00:00.000Z', last: '2026-11-17T10:00:01.000Z' };
  expect((await log.read()).get('/a')).toEqual(recall);
  await log.flush();
  expect([...(await log.read())]).toEqual([['/a', recall]]);
  await registry.close();
});

it('never fails, also where nothing can be written', async () => {
  const registry = await memoryRegistry({ annotate: () => Promise.reject(new Error('read-only')) });
  const log = new RecallLog(registry);
  log.note(['/a'], NOW);
  await expect(log.flush()).resolves.toBeUndefined();
  log.note(['/a'], NOW);
  await expect(log.flush()).resolves.toBeUndefined();
  await registry.close();
});
