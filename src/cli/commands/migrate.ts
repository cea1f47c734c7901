import { resolve } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { migrateStore } from '../../open.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context/context.ts';
import { findServer } from '../context/server-file.ts';
import { warnUnembedded } from '../model/missing-vectors.ts';
import { isGateway, migrateGateway } from '../sources/migrate-gateway.ts';
import { migrationText } from '../sources/migration-text.ts';
import { formatEntities } from '../terminal/progress.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly namespace?: string;
  readonly dryRun?: boolean;
}

const isAddress = (place: string): boolean => /^postgres(?:ql)?:/.test(place);
const placeOf = (given: string): string => (isAddress(given) ? given : resolve(given));

async function run(run: CommandRun): Promise<number> {
  const { from, to = '', namespace, dryRun } = run.options as Options;
  if (from !== undefined && !isAddress(to) && (await isGateway(from))) return moveRegistry(run, from);
  const idle = [...(dryRun === true ? ['--dry-run'] : []), ...(namespace === undefined ? [] : ['--namespace'])];
  if (idle.length === 0) return moveStore(run);
  throw new DowserError('INVALID_REQUEST', `${idle.join(' and ')} cannot be used with a data folder or its database.`, {
    hint: 'It is for the move from the database of an MCP gateway registry.',
  });
}

/** From the database of an MCP gateway registry. Exits with 1 if a document could not be moved. */
async function moveRegistry(run: CommandRun, from: string): Promise<number> {
  const report = await migrateGateway(run, from);
  print(run, report, () => migrationText(report, run.out));
  warnUnembedded(run, report.vectors);
  return report.problems.length > 0 ? 1 : 0;
}

/** Between a data folder and the database that several nodes share. */
async function moveStore(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const { from, to = settings.store } = run.options as Options;
  if (from === undefined || to === undefined || isAddress(from) === isAddress(to)) {
    throw new DowserError(
      'INVALID_REQUEST',
      'Give a data folder and the address of a database, one as --from and one as --to.',
      {
        hint: 'For example dowser migrate --from ./data --to postgres://USER:PASSWORD@HOST:5432/DATABASE. To move an MCP gateway registry, give its dump as --from.',
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
