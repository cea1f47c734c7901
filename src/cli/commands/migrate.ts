import { resolve } from 'node:path';
import { DowserError } from '../../model/errors.ts';
import { migrateStore } from '../../open.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context.ts';
import { findServer } from '../server-file.ts';
import { formatEntities } from '../terminal/progress.ts';

const isAddress = (place: string): boolean => /^postgres(?:ql)?:/.test(place);
const placeOf = (given: string): string => (isAddress(given) ? given : resolve(given));

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const { from, to = settings.store } = run.options as { readonly from?: string; readonly to?: string };
  if (from === undefined || to === undefined || isAddress(from) === isAddress(to)) {
    throw new DowserError(
      'INVALID_REQUEST',
      'Give a data folder and the address of a database, one as --from and one as --to.',
      {
        hint: 'For example dowser migrate --from ./data --to postgres://USER:PASSWORD@HOST:5432/DATABASE.',
      },
    );
  }
  for (const folder of [from, to].filter((place) => !isAddress(place)).map(placeOf)) {
    const server = await findServer(folder);
    if (server === undefined) continue;
    throw new DowserError('STORE_LOCKED', `The server at ${server.url} is using the data folder ${folder}.`, {
      hint: `Stop the server first (process ${server.pid}), then run the command again.`,
    });
  }
  const report = await migrateStore({ from: placeOf(from), to: placeOf(to) });
  print(run, report, () => {
    const { entities, units, vectors, searches } = report;
    return `Moved ${formatEntities(entities)} with ${units} units and ${vectors} vectors, and compared ${searches} searches\n`;
  });
  return 0;
}

export const command: CommandModule = { run };
