import { upkeepOf, whileServed } from '../open-folder.ts';
import { type Contents, readContents } from '../store-contents.ts';

/** Restores a backup into an empty folder, checks it, and reads what it has. */
export async function contentsOfBackup(file: string, dir: string): Promise<Contents> {
  const upkeep = await upkeepOf(dir);
  await upkeep.restore(file);
  const { problems } = upkeep.check();
  if (problems.length > 0) throw new Error(`The restored backup is damaged: ${problems.join(' ')}`);
  return whileServed(dir, readContents);
}
