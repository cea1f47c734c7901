import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { entityId } from '../../model/entity.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import type { LocalCopy } from '../embedded/local-copy.ts';
import { Follower } from './follower.ts';
import type { RecordPage, SharedRecord } from './shared-record.ts';

const SLICES = 8;
const ROWS_OF_SLICE = 100;

/** A record whose only page has many deletions. */
function recordOf(rows: number): SharedRecord {
  const deleted = Array.from({ length: rows }, (_, n) => entityId('mcp_server', `/s${n}`));
  const page: RecordPage = {
    through: 1,
    head: 1,
    embedders: { served: null, building: null },
    reindex: null,
    entities: [],
    deleted,
    annotations: [],
    vectors: [],
    edges: [],
  };
  return {
    open: async () => 'record',
    head: async () => 1,
    since: async () => page,
  } as Partial<SharedRecord> as SharedRecord;
}

it('gives each slice a turn of the event loop of its own, beside other background work', async () => {
  const steps: string[] = [];
  const copy = {
    position: null,
    apply: async () => void steps.push('slice'),
    setEmbedders: async () => false,
  } as Partial<LocalCopy> as LocalCopy;
  const other = async () => {
    for (let step = 0; step < SLICES; step++) {
      await yieldToSearches();
      steps.push('other');
    }
  };
  const record = recordOf(SLICES * ROWS_OF_SLICE);
  const follower = new Follower({ record, copy, maxBehindMs: 1000 });
  let isDone = false;
  const work = Promise.all([follower.catchUp(), other()]).finally(() => {
    isDone = true;
  });
  let most = 0;
  while (!isDone) {
    const before = steps.length;
    await setImmediate();
    most = Math.max(most, steps.length - before);
  }
  await work;
  expect(steps.filter((step) => step === 'slice').length).toBeGreaterThan(SLICES);
  expect(most).toBe(1);
});
