import { afterEach, describe, expect, it } from 'vitest';
import { type TestMemories, wordMemories } from '../../../test/support/word-memories.ts';
import { type Caller, STRANGER, UNRESTRICTED } from '../../model/caller/caller.ts';
import { EventQueue, type FollowOptions, type MemoryEvent, MemoryEvents } from './memory-events.ts';

const START = new Date('2026-11-17T10:00:00Z');
const ops = { readers: ['public', 'group:ops'], name: 'olga' };
const web = { readers: ['public', 'group:web'], name: 'wim' };

/** What has come so far: ends the stream. */
async function drained(events: AsyncIterableIterator<MemoryEvent>): Promise<readonly string[]> {
  await events.return?.();
  const all: string[] = [];
  for await (const { type, content, query } of events) all.push(`${type} ${content ?? query ?? ''}`.trim());
  return all;
}

describe('events of memories', () => {
  let memories: TestMemories;
  afterEach(() => memories.registry.close());

  it('tell each follower what it may read, and only its own searches', async () => {
    memories = await wordMemories();
    const [all, own, others] = [memories.follow(UNRESTRICTED), memories.follow(ops), memories.follow(web)];
    await memories.as(ops).store({ content: 'the code is 4711', namespace: 'ops' });
    await memories.as(ops).store({ content: 'the code is 4711', namespace: 'ops' });
    await memories.storeMany([{ content: 'the harbor is open' }, { content: 'the lamp is on', namespace: 'web' }]);
    await memories.as(ops).search({ query: 'code' });
    await memories.forget({ namespace: 'ops' });
    await memories.forget({ namespace: 'web', purge: true });
    const stored = ['memory_stored the harbor is open', 'memory_stored the lamp is on'];
    const first = ['heartbeat', 'memory_stored the code is 4711'];
    expect(await drained(all)).toEqual([...first, ...stored, 'memory_deleted', 'memory_deleted']);
    expect(await drained(own)).toEqual([...first, stored[0], 'search_completed code', 'memory_deleted']);
    expect(await drained(others)).toEqual(['heartbeat', ...stored, 'memory_deleted']);
  });
});

describe('a search', () => {
  const heard = async (follower: Caller, by: Caller, options?: FollowOptions) => {
    const events = new MemoryEvents(() => START);
    const followed = events.follow(follower, options);
    events.searched(by, { query: 'salary', search_type: 'hybrid', count: 0 });
    return (await drained(followed)).includes('search_completed salary');
  };
  const anonymous = { readers: ['public'], scopes: ['read'] } as const;
  const network = { readers: null, scopes: ['read'] } as const;
  const sole = { isSoleOwner: true };

  it.each([
    ['the same name', ops, { ...ops, readers: null }, {}, true],
    ['another name', ops, { ...ops, name: 'wim' }, sole, false],
    ['no name', ops, STRANGER, sole, false],
    ['anonymous callers', anonymous, { ...anonymous }, sole, false],
    ['callers of the network, who read everything', network, { ...network }, sole, false],
    ['the owner, by a caller of the network', network, UNRESTRICTED, sole, false],
    ['the owner', UNRESTRICTED, { ...UNRESTRICTED }, sole, true],
    ['unrestricted callers of a shared server', UNRESTRICTED, UNRESTRICTED, {}, false],
    ['an admin, by the owner', UNRESTRICTED, { readers: null, name: 'ada' }, sole, false],
  ] as const)('of %s', async (_, follower, by, options, isHeard) => {
    expect(await heard(follower, by, options)).toBe(isHeard);
  });
});

describe('followers', () => {
  it('are limited, and one that leaves makes room', async () => {
    const events = new MemoryEvents(() => START);
    const owner = () => events.follow(UNRESTRICTED, { isSoleOwner: true });
    const followers = Array.from({ length: 100 }, owner);
    expect(owner).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    await followers[0]!.return?.();
    const next = owner();
    for (const follower of [...followers, next]) await follower.return?.();
    expect(events.isFollowed).toBe(false);
  });

  it.each([
    ['name', ops, {}, web, {}],
    ['address', STRANGER, { who: 'address:192.0.2.1' }, STRANGER, { who: 'address:192.0.2.2' }],
    ['unrestricted caller of a shared server', UNRESTRICTED, {}, ops, {}],
    ['reader of a network', { readers: null, scopes: ['read'] }, { isSoleOwner: true }, ops, {}],
  ] as const)('of one %s are five, and others still have room', async (_, caller, options, other, others) => {
    const events = new MemoryEvents(() => START);
    const own = () => events.follow(caller, options);
    const followers = Array.from({ length: 5 }, own);
    expect(own).toThrow(expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }));
    followers.push(events.follow(other, others));
    await followers[0]!.return?.();
    followers.push(own());
    for (const follower of followers) await follower.return?.();
    expect(events.isFollowed).toBe(false);
  });

  it('hear a heartbeat from time to time', async () => {
    const follower = new MemoryEvents(() => START, 1).follow(UNRESTRICTED);
    for (let n = 0; n < 3; n++) expect((await follower.next()).value).toMatchObject({ type: 'heartbeat' });
    await follower.return?.();
  });

  it('that do not read lose the oldest events, and one that waits ends at once', async () => {
    const queue = new EventQueue<number>(() => {});
    for (let n = 0; n < 1001; n++) queue.push(n);
    expect((await queue.next()).value).toBe(1);
    const empty = new EventQueue<number>(() => {});
    const waiting = empty.next();
    await empty.return();
    expect((await waiting).done).toBe(true);
  });
});
