import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import { createRegistry } from '../create-registry.ts';

const DAY = 86_400_000;
const REGISTERED_AT = 20_000 * DAY;
const CATALOG = ['mail', 'letter', 'parcel', 'stamp', 'spam'].map((name, at) => ({
  type: 'skill',
  path: `/${name}`,
  name,
  description: `Send mail ${'and more '.repeat(at)}`,
}));

let engine: MemoryEngine;
let registry: LocalRegistry;
let now: number;
const registryOf = (engine: MemoryEngine) =>
  createRegistry({
    engine,
    embedder: null,
    embedderState: () => ({ id: '', state: 'off' }),
    version: '0',
    dataPath: null,
    indexingWaitMs: 0,
    background: false,
    now: () => now,
  });
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: REGISTERED_AT });
  now = REGISTERED_AT;
  engine = new MemoryEngine({ embedder: null });
  registry = registryOf(engine);
  await registry.putMany(CATALOG);
});
afterEach(async () => {
  await registry.close();
  vi.useRealTimers();
});

const as = (user: string) => registry.as({ readers: ['public', `user:${user}`] });
const success = (user: string, chosen_tool = '/mail', used_with = ['/stamp']) =>
  as(user).reportOutcome({ chosen_tool, outcome: 'success', used_with });
const coUse = async (path = '/mail') =>
  (await registry.relations('skill', path)).relations.filter(({ provenance }) => provenance === 'co_use');
const firstThree = async () => {
  const { results } = await registry.search({ query: 'send mail', preset: 'recommend' });
  return results.slice(0, 3).map(({ path }) => path);
};

describe('reports of use', () => {
  it('become a relation when three callers agree, decay, and are taken back', async () => {
    await success('ada');
    await success('bob', '/mail', ['/stamp', '/mail']);
    expect(await coUse()).toEqual([]);
    await success('cleo');
    expect(await coUse()).toMatchObject([{ relation: 'POPULAR_WITH', path: '/stamp', weight: 3 }]);
    now += 200 * DAY;
    expect((await coUse())[0]!.weight).toBeCloseTo(3 * Math.exp(-1));
    expect(await as('bob').reportOutcome({ chosen_tool: '/mail', outcome: 'failure' })).toMatchObject({ withdrawn: 1 });
    expect(await coUse()).toEqual([]);
  });

  it('of one caller, a thousand of them, move no one’s first three', async () => {
    const before = await firstThree();
    for (let n = 0; n < 1000; n++) {
      if (n % 100 === 0) now += DAY;
      await success('mallory', '/spam', ['/mail', '/letter', '/parcel']);
    }
    expect(await firstThree()).toEqual(before);
    expect(await coUse('/spam')).toEqual([]);
  });

  it('of one caller count fifty times on one day', async () => {
    let counted = 0;
    for (let n = 0; n < 30; n++) counted += (await success('mallory', '/spam', ['/mail', '/letter'])).counted;
    expect(counted).toBe(50);
    now += DAY;
    expect((await success('mallory')).counted).toBe(1);
  });

  it('of one caller are counted on after a restart', async () => {
    const flood = Array.from({ length: 60 }, (_, n) => `/noise-${n}`);
    await registry.putMany(flood.map((path) => ({ type: 'skill', path, name: path.slice(1), description: 'noise' })));
    for (let from = 0; from < 40; from += 10) await success('mallory', '/spam', flood.slice(from, from + 10));
    registry = registryOf(engine);
    expect((await success('ada')).counted).toBe(1);
    expect((await success('mallory', '/mail', flood.slice(40, 50))).counted).toBe(10);
    expect(await success('mallory', '/mail', flood.slice(50, 60))).toMatchObject({
      counted: 0,
      warnings: [expect.stringContaining('50')],
    });
  });

  it('count whichever of the two was chosen, and one caller cannot undo those of others', async () => {
    await success('ada', '/mail', ['/stamp']);
    await success('bob', '/stamp', ['/mail']);
    await success('cleo', '/mail', ['/stamp', '/stamp']);
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 3 }]);
    await success('mallory', '/stamp', ['/mail']);
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 4 }]);
    await as('mallory').reportOutcome({ chosen_tool: '/stamp', outcome: 'failure' });
    await as('mallory').reportOutcome({ chosen_tool: '/mail', outcome: 'replaced' });
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 3 }]);
  });

  it('of one caller do not push out those of others', async () => {
    for (const user of ['ada', 'bob', 'cleo']) await success(user);
    const flood = Array.from({ length: 600 }, (_, n) => `/noise-${n}`);
    await registry.putMany(flood.map((path) => ({ type: 'skill', path, name: path.slice(1), description: 'noise' })));
    for (let from = 0; from < flood.length; from += 10) {
      if (from % 50 === 0) now += DAY;
      await success('mallory', '/mail', flood.slice(from, from + 10));
    }
    expect(await coUse()).toMatchObject([{ path: '/stamp' }]);
  });

  /** What is registered from now on is newer than every report. */
  const passReports = () => {
    now += 1;
    vi.setSystemTime(now);
  };

  it.each([['/mail'], ['/stamp']])('go with the entity %s, and are not about another at its path', async (gone) => {
    for (const user of ['ada', 'bob']) await success(user);
    await success('cleo', '/stamp', ['/mail']);
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 3 }]);
    await registry.delete('skill', gone);
    const other = gone === '/mail' ? '/stamp' : '/mail';
    expect(await coUse(other)).toEqual([]);
    passReports();
    await registry.putMany(CATALOG.filter(({ path }) => path === gone));
    expect([await coUse('/mail'), await coUse('/stamp')]).toEqual([[], []]);

    // Old reports do not count beside new ones.
    for (const user of ['ada', 'dora']) await success(user);
    expect(await coUse()).toEqual([]);
    await success('emil');
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 3 }]);
  });

  it('of a tool go with its server, and stay when the server is written again', async () => {
    const server = { type: 'mcp_server', path: '/post', name: 'post', tools: [{ name: 'send', description: 'Sends' }] };
    await registry.put(server);
    for (const user of ['ada', 'bob', 'cleo']) await success(user, '/post#send', ['/stamp']);
    passReports();
    await registry.put({ ...server, description: 'Sends letters' });
    expect(await coUse('/stamp')).toMatchObject([{ path: '/post#send' }]);
    await registry.delete('mcp_server', '/post');
    await registry.put(server);
    expect(await coUse('/stamp')).toEqual([]);
  });

  it('count also where the clock of the reports is behind that of the entities', async () => {
    now = REGISTERED_AT - DAY;
    for (const user of ['ada', 'bob', 'cleo']) await success(user);
    expect(await coUse()).toMatchObject([{ path: '/stamp', weight: 3 }]);
  });
});
