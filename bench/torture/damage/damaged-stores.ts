import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DowserError } from '../../../src/model/errors/errors.ts';
import type { EmbeddingEndpoint } from '../embedding-endpoint.ts';
import { upkeepOf, whileServed } from '../open-folder.ts';
import { type Random, randomOf } from '../random.ts';
import { type Contents, notFound, readContents } from '../store-contents.ts';
import { damageStore } from './damage.ts';
import { type HealthyStore, healthyStores } from './healthy-stores.ts';

export interface DamageOptions {
  readonly stores: number;
  readonly seed: number;
  readonly embeddings: EmbeddingEndpoint;
  readonly onStore?: (done: number) => void;
}

export type DamageOutcome = 'whole' | 'STORE_CORRUPT' | 'STORE_LOST_WRITES';
export type DamageReport = Readonly<Record<DamageOutcome, number>>;

/**
 * Damages copies of healthy stores. Each must open with everything it had, or be refused with what is lost and what to do;
 * a refused one must open after its repair. Throws at the first other outcome. The folder is then kept.
 */
export async function damagedStores({ stores, seed, embeddings, onStore }: DamageOptions): Promise<DamageReport> {
  const root = mkdtempSync(join(tmpdir(), 'dowser-damaged-'));
  const report: Record<DamageOutcome, number> = { whole: 0, STORE_CORRUPT: 0, STORE_LOST_WRITES: 0 };
  const healthy = await healthyStores(root, embeddings);
  const dir = join(root, 'damaged');
  for (let n = 0; n < stores; n++) {
    const random = randomOf(seed + n);
    const store = random.pick(healthy);
    rmSync(dir, { recursive: true, force: true });
    cpSync(store.dir, dir, { recursive: true });
    const damage = [damageStore(dir, store.older, random)];
    // Two faults at once: what one file lost, another one must still show.
    if (random.chance(0.25)) damage.push(damageStore(dir, store.older, random));
    try {
      report[await outcomeOf(dir, store, random)]++;
    } catch (error) {
      const what = `${store.name} store with ${damage.join(' and ')}`;
      throw new Error(`${what} (--seed ${seed + n}, files in ${root}): ${String(error)}`, { cause: error });
    }
    onStore?.(n + 1);
  }
  rmSync(root, { recursive: true, force: true });
  return report;
}

async function outcomeOf(dir: string, { contents }: HealthyStore, random: Random): Promise<DamageOutcome> {
  const opened = await whileServed(dir, async (url) => ({
    contents: await readContents(url),
    unfound: await notFound(url, contents, random),
  })).catch((error: unknown) => error);
  if (!(opened instanceof Error)) {
    const { contents: found, unfound } = opened as { contents: Contents; unfound: readonly string[] };
    const changed = [...contents].filter(([key, state]) => found.get(key) !== state).map(([key]) => `${key} is lost`);
    const added = [...found.keys()].filter((key) => !contents.has(key)).map((key) => `${key} was deleted`);
    const problems = [...changed, ...added, ...unfound];
    if (problems.length > 0) throw new Error(`it opened, but ${problems.slice(0, 5).join(', ')}`);
    return 'whole';
  }
  if (!(opened instanceof DowserError) || !['STORE_CORRUPT', 'STORE_LOST_WRITES'].includes(opened.code)) throw opened;
  if (opened.hint?.includes('dowser doctor --repair') !== true)
    throw new Error(`the error names no repair: ${opened.hint}`);
  await repair(dir, contents);
  return opened.code as DamageOutcome;
}

/** After a repair, the store opens, and its report says how much is lost. */
async function repair(dir: string, before: Contents): Promise<void> {
  const { entities, lost, problems } = await (await upkeepOf(dir)).repair();
  if (problems.length === 0) throw new Error('the repair found nothing wrong with a store that does not open');
  const found = await whileServed(dir, readContents);
  const count = (contents: Contents) => [...contents.keys()].filter((key) => /^(tool|memory):/.test(key)).length;
  if (count(found) !== entities)
    throw new Error(`the repair reported ${entities} entities, but ${count(found)} are there`);
  if (lost === 0 && count(found) < count(before)) throw new Error('the repair reported that nothing is lost');
}
