import { resolve } from 'node:path';
import { openUpkeep } from '../../open.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context/context.ts';
import { backUpFolder, filesBeside, type ReportOf, withFiles } from '../context/folder-backup.ts';
import { formatEntities } from '../terminal/progress.ts';

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const upkeep = await openUpkeep(settings);
  const place = resolve(run.args[0]!);
  const isAll = run.options.all === true;
  const left = isAll ? [] : filesBeside(settings.data_dir);
  const report: ReportOf<'backup'> = isAll
    ? await backUpFolder(upkeep, settings.data_dir, place)
    : await upkeep.backup(place);
  const done = `Backed up ${formatEntities(report.entities)} to ${report.file}${withFiles(report)}, and checked the copy\n`;
  print(
    run,
    report,
    () => `${done}${left.length === 0 ? '' : `Not copied: ${left.join(', ')}. Use --all for these.\n`}`,
  );
  return 0;
}

export const command: CommandModule = { run };
