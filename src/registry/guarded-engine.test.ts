import { describe, expect, it } from 'vitest';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { type EntityId, parseEntity } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { ChangeLog } from './change-log.ts';
import { GuardedEngine } from './guarded-engine.ts';
import { toIndexed } from './write/publish.ts';

const READS = [
  'getMany',
  'getShown',
  'scan',
  'annotationsOf',
  'annotated',
  'searchKeyword',
  'hasTags',
  'inspect',
  'matchedFields',
  'searchVector',
  'keywordScores',
  'vectorScores',
  'missingVectors',
  'staleVectors',
  'stats',
] as const;
const WRITES = [
  'put',
  'delete',
  'annotate',
  'putVectors',
  'build',
  'serveBuilding',
  'dropStaleVectors',
  'close',
] as const;

type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>;

/** An engine in which everything fails with this trouble. */
function broken(trouble: unknown): Record<string, AnyMethod> {
  const fails = Object.fromEntries([...READS, ...WRITES].map((name) => [name, () => Promise.reject(trouble)]));
  const engine = Object.assign(new MemoryEngine({ embedder: null }), fails);
  return new GuardedEngine(engine, new ChangeLog()) as unknown as Record<string, AnyMethod>;
}

describe('reads', () => {
  const trouble = new TypeError('x is not iterable');

  it.each(READS)('%s gives a code to what breaks inside, with the trouble as its cause', async (name) => {
    await expect(broken(trouble)[name]!([])).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', cause: trouble });
  });

  it('leave errors that have a code as they are', async () => {
    const own = new DowserError('STORE_CORRUPT', 'The file is torn.');
    for (const name of READS) await expect(broken(own)[name]!([])).rejects.toBe(own);
  });

  it('pass every argument on', async () => {
    const seen: unknown[] = [];
    const notes = Object.fromEntries(
      [...READS, ...WRITES].map((name) => [
        name,
        (...args: unknown[]) => {
          seen.push(args.filter((arg) => arg !== undefined));
          return Promise.resolve();
        },
      ]),
    );
    const engine = Object.assign(new MemoryEngine({ embedder: null }), notes);
    const guarded = new GuardedEngine(engine, new ChangeLog()) as unknown as Record<string, AnyMethod>;
    const most: Readonly<Record<string, number>> = { stats: 1, serveBuilding: 0, close: 0, keywordScores: 3 };
    for (const name of [...READS, ...WRITES]) {
      const count = most[name] ?? engine.constructor.prototype[name].length;
      const args = Array.from({ length: count }, () => []);
      await guarded[name]!(...args);
      expect([name, seen.at(-1)]).toEqual([name, args]);
    }
  });

  it('are those of the engine where nothing breaks', async () => {
    const guarded = new GuardedEngine(new MemoryEngine({ embedder: null }), new ChangeLog());
    expect([guarded.name, guarded.embedder, (await guarded.stats()).entities]).toEqual(['memory', null, 0]);
  });
});

it('leaves the defects of writes as they are', async () => {
  const defect = new TypeError('no');
  for (const name of WRITES) await expect(broken(defect)[name]!([])).rejects.toBe(defect);
});

const ids = (...names: string[]) => names as EntityId[];

describe('writes', () => {
  const indexed = (path: string) => toIndexed(parseEntity({ type: 'skill', path, name: path }).entity);

  it('notes puts and deletions, and leaves the engine as it is', async () => {
    const log = new ChangeLog();
    const engine = new GuardedEngine(new MemoryEngine({ embedder: null }), log);
    await engine.store.put([indexed('a'), indexed('b')]);
    expect(await engine.store.delete(ids('skill:a'))).toBe(1);
    expect(log.since(0).ids).toEqual(['skill:a', 'skill:b', 'skill:a']);
    expect([engine.name, (await engine.index.stats()).entities]).toEqual(['memory', 1]);
    await engine.close();
  });

  it('notes a write that failed: it may have happened', async () => {
    const log = new ChangeLog();
    const engine = new GuardedEngine(new MemoryEngine({ embedder: null }), log);
    await expect(engine.store.put([indexed('a'), indexed('a')])).rejects.toMatchObject({ code: 'DUPLICATE_PATH' });
    expect(log.since(0).ids).toContain('skill:a');
  });
});
