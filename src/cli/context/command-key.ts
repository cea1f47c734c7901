import { isRefusal } from '../../access/audit-trail.ts';
import { keepsAudit } from '../../access/auth-mode.ts';
import { callerOfKey } from '../../access/identify.ts';
import type { Settings } from '../../config.ts';
import { insufficientScope } from '../../model/caller/access-errors.ts';
import { hasRight } from '../../model/caller/caller.ts';
import { type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import { openKeys } from '../../open-keys.ts';
import { commandNamed } from '../command-tables/command-table.ts';
import { commandContext, commandTrail } from './audit-command.ts';
import { type CommandKey, type CommandRun, settingsFor } from './context.ts';

/**
 * The key of `DOWSER_KEY`, as one of the data folder or of the record that it follows. Throws UNAUTHENTICATED, and INSUFFICIENT_SCOPE if the command needs
 * more than it has.
 */
export async function commandKey(run: CommandRun): Promise<CommandKey> {
  const secret = run.env.DOWSER_KEY!.trim();
  const { right } = commandNamed(run.name)!;
  const { settings } = settingsFor(run);
  const caller = async () => {
    const keys = await openKeys(settings);
    try {
      return await callerOfKey(keys, secret, new Date());
    } finally {
      await keys.close();
    }
  };
  if (right === 'none') return { secret, caller };
  let who: string | undefined;
  try {
    const found = await caller();
    who = found.name;
    if (!hasRight(found, right)) throw insufficientScope(right);
  } catch (thrown) {
    await recordRefusal(run, settings, toDowserError(thrown).code, who);
    throw thrown;
  }
  return { secret, caller };
}

async function recordRefusal(run: CommandRun, settings: Settings, code: ErrorCode, who = 'anonymous'): Promise<void> {
  if (!keepsAudit(settings) || !isRefusal(code)) return;
  const trail = commandTrail(settings);
  trail.refused({ ...(await commandContext(run)), who }, code);
  trail.close();
}
