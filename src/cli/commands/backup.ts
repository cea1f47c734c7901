import { resolve } from 'node:path';
import { openUpkeep } from '../../open.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context.ts';
import { formatEntities } from '../terminal/progress.ts';

async function run(run: CommandRun): Promise<number> {
  const upkeep = await openUpkeep(settingsFor(run).settings);
  const report = await upkeep.backup(resolve(run.args[0]!));
  print(run, report, () => `Backed up ${formatEntities(report.entities)} to ${report.file}, and checked the copy\n`);
  return 0;
}

export const command: CommandModule = { run };
