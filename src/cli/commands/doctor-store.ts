import { existsSync } from 'node:fs';
import type { Settings } from '../../config.ts';
import { openUpkeep } from '../../open.ts';
import { formatCount, formatEntities } from '../terminal/progress.ts';
import { type Check, failed, ok, orFailed, warned } from './doctor-checks.ts';

const REPAIR = 'Restore a backup with `dowser restore FILE`, or run `dowser doctor --repair`.';

/** Reads the whole database, also while a server uses it. */
export async function checkDeep(settings: Settings): Promise<readonly Check[]> {
  const checks = await orFailed('deep check', async () => {
    if (!existsSync(settings.data_dir)) return [ok('deep check', 'nothing is stored yet')];
    const { entities, pages, problems } = (await openUpkeep(settings)).check();
    if (problems.length > 0) return problems.map((problem) => failed('deep check', problem, REPAIR));
    const sums = pages > 0 ? `, ${formatCount(pages)} pages have the right checksum` : '';
    return [ok('deep check', `${formatEntities(entities)} can be read${sums}`)];
  });
  return [checks].flat();
}

export function repairStore(settings: Settings): Promise<Check> {
  return orFailed('repair', async () => {
    const { problems, entities, lost, kept } = await (await openUpkeep(settings)).repair();
    if (problems.length === 0) return ok('repair', 'nothing to repair');
    const missing = lost === null ? '; how many are lost is not known' : `, ${formatEntities(lost)} lost`;
    const done = `${problems.join(' ')} Kept ${formatEntities(entities)}${missing}`;
    return warned('repair', done, `The old files are in ${kept}.`);
  });
}
