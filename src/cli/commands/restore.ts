import { resolve } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { openUpkeep } from '../../open.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context/context.ts';
import { stateOfFolder } from '../context/data-folder.ts';
import { isFolderBackup, type ReportOf, restoreFolder, withFiles } from '../context/folder-backup.ts';
import { findServer } from '../context/server-file.ts';
import { formatEntities } from '../terminal/progress.ts';

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  await stateOfFolder(settings.data_dir);
  const server = await findServer(settings.data_dir);
  if (server !== undefined) {
    throw new DowserError(
      'STORE_LOCKED',
      `The server at ${server.url} is using the data folder ${settings.data_dir}.`,
      {
        hint: `Stop the server first (process ${server.pid}), then run the command again.`,
      },
    );
  }
  const upkeep = await openUpkeep(settings);
  const place = resolve(run.args[0]!);
  const report: ReportOf<'restore'> = isFolderBackup(upkeep, place)
    ? await restoreFolder(upkeep, settings.data_dir, place)
    : await upkeep.restore(place);
  print(run, report, () => {
    const before = report.kept === null ? '' : `The old files are in ${report.kept}\n`;
    return `Restored ${formatEntities(report.entities)} to ${settings.data_dir}${withFiles(report)}\n${before}`;
  });
  return 0;
}

export const command: CommandModule = { run };
