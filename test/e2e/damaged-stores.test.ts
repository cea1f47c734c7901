import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { storeFilesIn } from '../../src/engines/embedded/record/store-files.ts';
import { DowserError } from '../../src/model/errors.ts';
import { TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';

/** Set it to 500 for the full run; docs/reliability.md has its figures. */
const STORES = Number(process.env.DOWSER_DAMAGED_STORES ?? 60);
const ENTITIES = 100;
const WRITER = fileURLToPath(new URL('../support/store-writer.ts', import.meta.url));
const root = temporaryFolder();
const dir = join(root.path, 'tried');
const files = storeFilesIn(dir);

const seen: Record<string, number> = {};
let whole: string;

beforeAll(async () => {
  for (const end of ['kill', 'close']) {
    mkdirSync(join(root.path, end));
    try {
      execFileSync(process.execPath, ['--import', 'tsx', WRITER, join(root.path, end), String(ENTITIES), end]);
    } catch (error) {
      expect((error as { signal: string }).signal).toBe('SIGKILL');
    }
  }
  use('close');
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER, snapshotAfterUnits: 0 });
  await engine.close();
  cpSync(files.snapshot, join(root.path, 'close', 'index.snapshot'));
  cpSync(files.database, join(root.path, 'close', 'dowser.sqlite'));
  cpSync(files.sums, join(root.path, 'close', 'dowser.sums'));
  whole = await contents();
});
afterAll(() => {
  if (process.env.DOWSER_DAMAGED_STORES !== undefined) console.log(seen);
  root.remove();
});

function use(store: string): void {
  rmSync(dir, { recursive: true, force: true });
  cpSync(join(root.path, store), dir, { recursive: true });
}

/** Every entity and note. Times differ between the two stores. */
async function contents(): Promise<string> {
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
  try {
    const { entities } = await engine.store.scan({ limit: 1000 });
    return JSON.stringify([entities.map(({ entity }) => entity), [...(await engine.store.annotated('note'))]]);
  } finally {
    await engine.close();
  }
}

/** The same sequence for every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function damage(file: string, how: string, next: () => number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(next() * bytes.length);
  if (how === 'delete') rmSync(file);
  if (how === 'cut') truncateSync(file, at);
  if (how === 'delete' || how === 'cut') return;
  const length = how === 'flip' ? 1 : 1 + Math.floor(next() * 5000);
  for (let i = at; i < Math.min(bytes.length, at + length); i++)
    bytes[i] =
      how === 'flip' ? bytes[i]! ^ (1 << Math.floor(next() * 8)) : how === 'zero' ? 0 : Math.floor(next() * 256);
  writeFileSync(file, bytes);
}

const HOW = ['cut', 'flip', 'zero', 'noise', 'delete'];
const WHICH = ['database', 'database', 'database', 'log', 'log', 'lastRevision', 'sums', 'snapshot', 'lock'] as const;

it(`opens each of ${STORES} damaged stores whole, or refuses it with a reason`, { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= STORES; seed++) {
    const next = numbers(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
    const store = pick(['kill', 'close']);
    use(store);
    const which = pick(WHICH.filter((file) => (statSync(files[file], { throwIfNoEntry: false })?.size ?? 0) > 0));
    const how = pick(HOW);
    damage(files[which], how, next);
    const outcome = await contents().catch((error: unknown) => error);
    const what = `seed ${seed}: ${how} ${which} of ${store}`;
    if (typeof outcome === 'string') expect(outcome === whole, `${what}: opened with other contents`).toBe(true);
    else expect(outcome instanceof DowserError && /^STORE_/.test(outcome.code), `${what}: ${outcome}`).toBe(true);
    const key = typeof outcome === 'string' ? 'whole' : (outcome as DowserError).code;
    seen[key] = (seen[key] ?? 0) + 1;
  }
  expect(Object.keys(seen).sort()).toEqual(['STORE_CORRUPT', 'STORE_LOST_WRITES', 'whole']);
});
