import { resolve } from 'node:path';
import { groupScopesOf } from '../../access/scope-documents.ts';
import type { Settings } from '../../config.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Observed } from '../../registry/contract/observation.ts';
import { sourceKeyOf } from '../../registry/notes/source-note.ts';
import { isDump } from '../../sources/mongodb/dump-folder.ts';
import { isServerAddress } from '../../sources/mongodb/mongodb-server.ts';
import type { GatewayAccount, GatewaySource } from '../../sources/mongodb/mongodb-source.ts';
import { dumpSource, serverSource } from '../../sources/mongodb/open-mongodb.ts';
import { boundedSource } from '../../sources/open/bounded-source.ts';
import { trustSource } from '../../sources/trusted-sources.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { bulkSettingsFor, type CommandRun } from '../context/context.ts';
import { embedMissing, type Vectors } from '../model/missing-vectors.ts';
import { readSource, type SourceReport } from './read-source.ts';
import { sourceContext } from './source-context.ts';

/** The report of a move from the database of an MCP gateway registry, as `--json` prints it. */
export interface GatewayMigration {
  readonly dry_run: boolean;
  readonly from: string;
  /** How many entities of each type have which state, such as `added`. */
  readonly entities: Readonly<Record<string, Readonly<Partial<Record<Observed['state'], number>>>>>;
  readonly collections: GatewayAccount['collections'];
  readonly fields: GatewayAccount['fields'];
  /** The setting that gives the groups what the scope documents give them. Null without scope documents. */
  readonly group_scopes: string | null;
  readonly peers: readonly string[];
  readonly notes: readonly string[];
  readonly problems: SourceReport['problems'];
  readonly skipped: SourceReport['skipped'];
  readonly warnings: SourceReport['warnings'];
  readonly vectors: Vectors | null;
}

const isAddress = (place: string): boolean => /^[a-z][\w+.-]*:\/\//i.test(place);

/** Whether a place is the database of an MCP gateway registry, or a dump of it. Throws NOT_FOUND for a path that is not there. */
export async function isGateway(place: string): Promise<boolean> {
  if (isAddress(place)) return isServerAddress(place);
  return isDump(resolve(place));
}

/** Moves everything that is moved, through the same door as `dowser add`: a second run finds it unchanged. */
export async function migrateGateway(run: CommandRun, from: string): Promise<GatewayMigration> {
  const settings = targetOf(run);
  const namespace = run.options.namespace as string | undefined;
  const source = isServerAddress(from)
    ? serverSource({ url: from }, sourceContext(run, settings), namespace)
    : dumpSource(from, namespace);
  const dryRun = run.options.dryRun === true;
  return withBackend(run, { settings, missing: dryRun ? 'warn' : 'create' }, async (backend) => {
    const { report, account } = await readGateway(run, source, backend, settings);
    const { grants, ...found } = account;
    if (!dryRun) await trustSource(settings.data_dir, sourceKeyOf(source));
    const vectors = dryRun ? null : await embedMissing(run, settings, backend);
    const { problems, skipped, warnings } = report;
    return {
      dry_run: dryRun,
      from: source.title,
      entities: countsOf(report.results),
      ...found,
      group_scopes: grants === null ? null : groupScopesOf(grants),
      ...{ problems, skipped, warnings, vectors },
    };
  });
}

function targetOf(run: CommandRun): Settings {
  const settings = bulkSettingsFor(run);
  const { to } = run.options as { readonly to?: string };
  if (to === undefined) return settings;
  if (!isAddress(to)) return { ...settings, data_dir: resolve(to) };
  throw new DowserError('INVALID_REQUEST', `--to is an address: a registry is moved into a data folder.`, {
    field: 'to',
    hint: "Name a folder. With the setting 'store', leave --to out: the entities go into the shared database.",
  });
}

async function readGateway(run: CommandRun, source: GatewaySource, backend: Backend, settings: Settings) {
  const key = sourceKeyOf(source);
  const known = (await backend.sources()).find((other) => sourceKeyOf(other) === key);
  const report = await readSource(boundedSource(source, sourceContext(run, settings).limits), {
    observe: (observation) => backend.observe(observation),
    known,
    takeOver: true,
    dryRun: run.options.dryRun === true,
    signal: run.signal,
  });
  const account = source.account();
  if (account !== null) return { report, account };
  // It was not read to its end.
  const [problem] = report.problems.filter(({ part }) => part === '');
  throw new DowserError(problem?.code ?? 'INTERNAL', problem?.message ?? `${source.title} was not read to its end.`, {
    hint: problem?.hint,
  });
}

function countsOf(results: readonly Observed[]): GatewayMigration['entities'] {
  const counts: Record<string, Partial<Record<Observed['state'], number>>> = {};
  for (const { entity_type, state } of results) {
    const type = entity_type ?? 'unknown';
    counts[type] = { ...counts[type], [state]: (counts[type]?.[state] ?? 0) + 1 };
  }
  return counts;
}
