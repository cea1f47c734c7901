import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type EntityId, entityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import type { CopyPosition, LocalCopy } from '../embedded/local-copy.ts';
import type { RecordPage, SharedRecord, SinceQuery } from '../shared-record.ts';
import { Follower } from './follower.ts';

const SLICES = 8;
const ROWS_OF_SLICE = 100;

/** A record whose only page has many deletions. */
function recordOf(rows: number): SharedRecord {
  const deleted = Array.from({ length: rows }, (_, n) => entityId('mcp_server', `/s${n}`));
  const head = { record: 'record', epoch: 'e', seq: 1, tip: '1:x', purged: 0, keys: '' };
  const page: RecordPage = {
    isKnown: true,
    through: 1,
    head,
    embedders: { served: null, building: null },
    reindex: null,
    entities: [],
    deleted,
    annotations: [],
    vectors: [],
    edges: [],
  };
  return {
    open: async () => head,
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

describe('a record that does not know what the copy has seen', () => {
  const HEAD = { record: 'record', epoch: 'e', seq: 7, tip: '7:old', purged: 0, keys: '' };
  const empty = {
    embedders: { served: null, building: null },
    reindex: null,
    deleted: [],
    annotations: [],
    vectors: [],
  };
  const page = (head: typeof HEAD, through: number, isKnown = true): RecordPage => {
    return { ...empty, isKnown, head, through, entities: [], edges: [] };
  };

  function follow(head: typeof HEAD, endEpoch = async (_: string) => {}) {
    const asked: SinceQuery[] = [];
    const ended: string[] = [];
    const positions: (CopyPosition | null)[] = [];
    const deleted: unknown[] = [];
    const seen: unknown[] = [];
    const { seq, ...known } = HEAD;
    const copy = {
      position: { ...known, seq, complete: seq, isRebuilding: false },
      apply: async (changes, position) => {
        positions.push(position);
        if (changes.deleted?.length) deleted.push(changes.deleted);
      },
      ids: () => ['mcp_server:/lost' as EntityId],
      edges: () => [],
      setEmbedders: async () => false,
    } as Partial<LocalCopy> as LocalCopy;
    const record = {
      open: async () => HEAD,
      endEpoch: async (epoch) => {
        await endEpoch(epoch);
        ended.push(epoch);
      },
      since: async (query) => {
        asked.push(query);
        seen.push([follower.status().isReady, follower.status().isUsable]);
        // The first is of the time before.
        if (asked.length === 1) return page(HEAD, 7);
        if (query.seen === HEAD.tip) return page(head, 0, false);
        return page(head, query.after === 0 ? 2 : head.seq);
      },
    } as Partial<SharedRecord> as SharedRecord;
    const follower = new Follower({ record, copy, maxBehindMs: 1_000_000 });
    return { follower, asked, ended, positions, deleted, seen };
  }

  it('is read again from the start, in a new epoch: not ready, and usable, until what it lost is deleted', async () => {
    const { follower, asked, ended, positions, deleted, seen } = follow({ ...HEAD, seq: 4, tip: '4:new' });
    await follower.catchUp();
    await follower.catchUp();
    expect(asked.map(({ after, complete, seen: tip }) => [after, complete, tip])).toEqual([
      [7, 7, '7:old'],
      [7, 7, '7:old'],
      [0, -1, null],
      [2, -1, '4:new'],
    ]);
    expect(seen.slice(1)).toEqual([
      [true, true],
      [false, true],
      [false, true],
    ]);
    expect(positions.map((position) => position?.isRebuilding)).toEqual([true, true, undefined, false]);
    expect([ended, deleted]).toEqual([['e'], [['mcp_server:/lost']]]);
    expect(follower.status()).toMatchObject({ isReady: true, revision: 4, head: 4 });
  });

  it.each([
    ['another node has ended the epoch', { ...HEAD, epoch: 'later', seq: 9, tip: '9:x' }],
    ['deletions were forgotten since', { ...HEAD, seq: 20, tip: '20:x', purged: 12 }],
  ])('begins no epoch where %s', async (_, head) => {
    const { follower, ended } = follow(head);
    await follower.catchUp();
    await follower.catchUp();
    expect([ended, follower.status().epoch]).toEqual([[], head.epoch]);
  });

  it('is not ready, and ends the epoch later, where the record was lost before it could', async () => {
    let isLost = true;
    const { follower, ended, positions } = follow({ ...HEAD, seq: 4, tip: '4:new' }, async () => {
      if (isLost) throw new DowserError('RECORD_UNAVAILABLE', 'The record cannot be used.', { hint: 'Try again.' });
    });
    await follower.catchUp();
    await expect(follower.catchUp()).rejects.toMatchObject({ code: 'RECORD_UNAVAILABLE' });
    expect([ended, positions, follower.status().isReady]).toEqual([[], [], false]);
    isLost = false;
    await follower.catchUp();
    expect([ended, follower.status()]).toMatchObject([['e'], { isReady: true, revision: 4 }]);
  });

  it('refuses writes until it is read again', async () => {
    const { follower } = follow({ ...HEAD, seq: 4, tip: '4:new' });
    expect(() => follower.checkWritable()).toThrow(expect.objectContaining({ code: 'REPLICA_BEHIND' }));
    await follower.catchUp();
    follower.checkWritable();
    const late = follower.catchUpTo({ ...HEAD, seq: 4, tip: '4:new' });
    await expect(late).rejects.toMatchObject({ code: 'REPLICA_BEHIND' });
    await follower.catchUp();
    follower.checkWritable();
  });
});
