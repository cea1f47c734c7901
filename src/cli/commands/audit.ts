import type { AuditRecord } from '../../access/audit-record.ts';
import { readAudit } from '../../access/read-audit.ts';
import { type CommandModule, type CommandRun, print, settingsFor, wrongOption } from '../context/context.ts';
import { startOf } from '../context/time-span.ts';
import { oneLine } from '../terminal/text-width.ts';

const DEFAULT_LIMIT = 50;
const SHOWN_IDS = 3;

function limitOf({ options: { limit } }: CommandRun): number {
  const value = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (Number.isInteger(value) && value > 0) return value;
  throw wrongOption('limit', limit, 'a whole number from 1');
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function lineOf({ at, who, from, action, ids, ids_total, result }: AuditRecord): string {
  const shown = ids.slice(0, SHOWN_IDS).join(' ');
  const more = ids_total > SHOWN_IDS ? ` and ${ids_total - SHOWN_IDS} more` : '';
  return oneLine(`${at}  ${who}${from === null ? '' : ` (${from})`}  ${action}  ${result}  ${shown}${more}`).trimEnd();
}

async function run(run: CommandRun): Promise<number> {
  const { who, action, result, since } = run.options;
  const records = await readAudit(settingsFor(run).settings.data_dir, {
    who: textOf(who),
    action: textOf(action),
    result: textOf(result),
    since: since === undefined ? undefined : startOf('since', String(since), new Date()).toISOString(),
    limit: limitOf(run),
  });
  print(run, { records }, () =>
    records.length === 0 ? 'The audit log has no such records.\n' : `${records.map(lineOf).join('\n')}\n`,
  );
  return 0;
}

export const command: CommandModule = { run };
