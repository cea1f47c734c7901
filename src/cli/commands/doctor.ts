import { type CommandContext, type CommandModule, type CommandRun, printJson, settingsFor } from '../context.ts';
import { findServer } from '../server-file.ts';
import { oneLine } from '../terminal/text-width.ts';
import {
  type Check,
  checkDataFolder,
  checkEmbedder,
  checkModel,
  checkNode,
  checkPort,
  checkStore,
} from './doctor-checks.ts';
import { checkDeep, repairStore } from './doctor-store.ts';

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
    if (run.options.repair === true) report(await repairStore(settings));
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
