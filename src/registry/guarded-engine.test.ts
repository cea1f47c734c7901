import { describe, expect, it } from 'vitest';
import type { Engine } from '../engines/engine.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { DowserError } from '../model/errors/errors.ts';
import { guardEngine } from './guarded-engine.ts';

type Port = 'store' | 'index' | 'vectors';

/** The calls whose failures get a code. */
const READS: readonly (readonly [Port, string])[] = [
  ['store', 'getMany'],
  ['store', 'scan'],
  ['store', 'annotationsOf'],
  ['store', 'annotated'],
  ['index', 'retrieve'],
  ['index', 'names'],
  ['index', 'stats'],
  ['vectors', 'missing'],
  ['vectors', 'missingIds'],
  ['vectors', 'stale'],
];
const OTHERS: readonly (readonly [Port, string])[] = [
  ['store', 'put'],
  ['store', 'delete'],
  ['store', 'annotate'],
  ['store', 'changes'],
  ['store', 'inTurn'],
  ['vectors', 'put'],
  ['vectors', 'build'],
  ['vectors', 'serveBuilding'],
  ['vectors', 'dropStale'],
];
const ALL = [...READS, ...OTHERS];

type AnyMethod = (...args: readonly unknown[]) => unknown;
type AnyPorts = Record<Port, Record<string, AnyMethod>>;

const asPorts = (engine: Engine) => engine as unknown as AnyPorts;

/** A guarded engine in which every call of every port does this. */
function guarded(does: AnyMethod): AnyPorts {
  const engine = new MemoryEngine({ embedder: null });
  for (const [port, name] of ALL) asPorts(engine)[port][name] = does;
  return asPorts(guardEngine(engine));
}

it('guards every method that a port has', () => {
  const { store, index, vectors } = new MemoryEngine({ embedder: null });
  for (const [port, methods] of Object.entries({ store, index, vectors })) {
    const prototype = Object.getPrototypeOf(methods);
    const isCall = (name: string) => typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function';
    // `allStale` is for its own engine, not a part of the port.
    const names = Object.getOwnPropertyNames(prototype).filter(
      (name) => isCall(name) && !['constructor', 'allStale'].includes(name),
    );
    expect(names.sort()).toEqual(
      ALL.filter(([of]) => of === port)
        .map(([, name]) => name)
        .sort(),
    );
  }
});

describe('reads', () => {
  const trouble = new TypeError('x is not iterable');

  it.each(READS)('%s.%s gives a code to what breaks inside, with the trouble as its cause', async (port, name) => {
    const expected = { code: 'ENGINE_UNAVAILABLE', cause: trouble };
    await expect(guarded(() => Promise.reject(trouble))[port][name]!([])).rejects.toMatchObject(expected);
    const throws = guarded(() => {
      throw trouble;
    });
    await expect(throws[port][name]!([])).rejects.toMatchObject(expected);
  });

  it('leave errors that have a code as they are', async () => {
    const own = new DowserError('STORE_CORRUPT', 'The file is torn.');
    const engine = guarded(() => Promise.reject(own));
    for (const [port, name] of READS) await expect(engine[port][name]!([])).rejects.toBe(own);
  });
});

it('passes every argument on, and every answer back', async () => {
  const most: Readonly<Record<string, number>> = { missing: 3, missingIds: 1, build: 1, serveBuilding: 0 };
  const answer = {};
  let seen: readonly unknown[] = [];
  const engine = guarded((...args) => {
    seen = args.filter((arg) => arg !== undefined);
    return Promise.resolve(answer);
  });
  for (const [port, name] of ALL) {
    const count = port === 'vectors' ? (most[name] ?? 2) : 1;
    const args = Array.from({ length: count }, () => ({}));
    expect(await engine[port][name]!(...args)).toBe(answer);
    expect([name, seen]).toEqual([name, args]);
  }
});

it('leaves the defects of writes as they are', async () => {
  const defect = new TypeError('no');
  const engine = guarded(() => Promise.reject(defect));
  for (const [port, name] of OTHERS) await expect(engine[port][name]!([])).rejects.toBe(defect);
});

it('is the engine itself where nothing breaks', async () => {
  const engine = new MemoryEngine({ embedder: { id: 'test/words/16', dimensions: 16 } });
  const { name, vectors, index, close } = guardEngine(engine);
  expect([name, vectors.embedder?.id]).toEqual(['memory', 'test/words/16']);
  expect((await index.stats()).entities).toBe(0);
  await close();
  await expect(engine.index.stats()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
});

describe('a damaged part of the store', () => {
  const corrupt = new DowserError('STORE_CORRUPT', 'Page 7 is damaged.');

  it('is remembered once a read has met it, and nothing is written from then on', async () => {
    const engine = new MemoryEngine({ embedder: null });
    const guard = guardEngine(engine);
    await guard.store.annotate([]);
    expect(guard.damage).toBeNull();
    engine.store.getMany = async () => {
      throw corrupt;
    };
    await expect(guard.store.getMany([])).rejects.toBe(corrupt);
    expect(guard.damage).toBe(corrupt);
    await expect(guard.store.put([])).rejects.toBe(corrupt);
    await expect(guard.store.delete([])).rejects.toBe(corrupt);
    await expect(guard.edges.put([])).rejects.toBe(corrupt);
    // What is sound is still read.
    expect((await guard.index.stats()).entities).toBe(0);
  });
});

it('remembers a full disk until a write succeeds', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const guard = guardEngine(engine);
  const full = new DowserError('STORE_FULL', 'No space left.');
  const { put } = engine.store;
  engine.store.put = async () => {
    throw full;
  };
  await expect(guard.store.put([])).rejects.toBe(full);
  expect([guard.full, guard.damage]).toEqual([full, null]);
  engine.store.put = put.bind(engine.store);
  await guard.store.put([]);
  expect(guard.full).toBeNull();
});

it('refuses every write to a store that was opened while the disk was full', async () => {
  const full = new DowserError('STORE_FULL', 'No space left.');
  const guard = guardEngine(new MemoryEngine({ embedder: null }), full);
  await expect(guard.store.put([])).rejects.toBe(full);
  expect([guard.full, (await guard.index.stats()).entities]).toEqual([full, 0]);
});
