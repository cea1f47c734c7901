import { existsSync } from 'node:fs';
import type { Settings } from '../../config.ts';
import { openUpkeep } from '../../open.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandRun,
  printJson,
  settingsFor,
} from '../context/context.ts';
import { type FoundServer, findServer } from '../context/server-file.ts';
import { formatCount, formatEntities } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';
import {
  type Check,
  checkDataFolder,
  checkEmbedder,
  checkModel,
  checkNode,
  checkPort,
  checkStore,
  failed,
  ok,
  orFailed,
  warned,
} from './doctor-checks.ts';

const REPAIR = 'Restore a backup with `dowser restore FILE`, or run `dowser doctor --repair`.';

/** Reads the whole database, also while a server uses it. */
async function checkDeep(settings: Settings): Promise<readonly Check[]> {
  const checks = await orFailed('deep check', async () => {
    if (!existsSync(settings.data_dir)) return [ok('deep check', 'nothing is stored yet')];
    const { entities, pages, problems } = (await openUpkeep(settings)).check();
    if (problems.length > 0) return problems.map((problem) => failed('deep check', problem, REPAIR));
    const sums = pages > 0 ? `, ${formatCount(pages)} pages have the right checksum` : '';
    return [ok('deep check', `${formatEntities(entities)} can be read${sums}`)];
  });
  return [checks].flat();
}

async function repairStore(settings: Settings, server: FoundServer | undefined): Promise<Check> {
  if (server !== undefined) {
    return failed('repair', `The server at ${server.url} uses the data folder.`, 'Stop it, then repair.');
  }
  return orFailed('repair', async () => {
    const { problems, entities, lost, kept } = await (await openUpkeep(settings)).repair();
    if (problems.length === 0) return ok('repair', 'nothing to repair');
    const missing = lost === null ? '; how many are lost is not known' : `, ${formatEntities(lost)} lost`;
    const done = `${problems.join(' ')} Kept ${formatEntities(entities)}${missing}`;
    return warned('repair', done, `The old files are in ${kept}.`);
  });
}

async function run(run: CommandRun): Promise<number> {
  const { settings } = settingsFor(run);
  const json = run.options.json === true;
  const checks: Check[] = [];
  const report = (check: Check) => {
    checks.push(check);
    if (!json) run.out.write(toLines(check, run));
  };
  const server = await findServer(settings.data_dir);
  report(checkNode(process.version));
  const folder = await checkDataFolder(settings.data_dir);
  report(folder);
  if (folder.status !== 'fail') {
    if (run.options.repair === true) report(await repairStore(settings, server));
    for (const check of await checkStore(settings, server)) report(check);
    if (run.options.deep === true) for (const check of await checkDeep(settings)) report(check);
  }
  const model = await checkModel(settings);
  if (model !== undefined) report(model);
  if (model === undefined || model.status === 'ok') report(await checkEmbedder(settings));
  report(await checkPort(settings, server));
  const failed = checks.some(({ status }) => status === 'fail');
  if (json) printJson(run, { ok: !failed, checks });
  return failed ? 1 : 0;
}

function toLines({ name, status, message, hint }: Check, { out }: CommandContext): string {
  const paint = { ok: out.style.green, warn: out.style.yellow, fail: out.style.red }[status];
  const line = `${paint(status.padEnd(4))}  ${name.padEnd(11)}  ${oneLine(message)}\n`;
  return hint === undefined ? line : `${line}${' '.repeat(19)}hint: ${oneLine(hint)}\n`;
}

export const command: CommandModule = { run };
