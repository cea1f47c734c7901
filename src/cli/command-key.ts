import { isRefusal } from '../access/audit-trail.ts';
import { keepsAudit } from '../access/auth-mode.ts';
import { callerOfKey } from '../access/identify.ts';
import { KeyStore } from '../access/key-store.ts';
import type { Settings } from '../config.ts';
import { insufficientScope } from '../model/access-errors.ts';
import { hasRight } from '../model/caller.ts';
import { type ErrorCode, toDowserError } from '../model/errors.ts';
import { commandContext, commandTrail } from './audit-command.ts';
import { commandNamed } from './command-table.ts';
import { type CommandKey, type CommandRun, settingsFor } from './context.ts';

/**
 * The key of `DOWSER_KEY`, as one of the data folder. Throws UNAUTHENTICATED, and INSUFFICIENT_SCOPE if the command needs
 * more than it has.
 */
export function commandKey(run: CommandRun): CommandKey {
  const secret = run.env.DOWSER_KEY!.trim();
  const { right } = commandNamed(run.name)!;
  const { settings } = settingsFor(run);
  const keys = new KeyStore(settings.data_dir);
  const caller = () => callerOfKey(keys, secret, new Date());
  if (right === 'none') return { secret, caller };
  let who: string | undefined;
  try {
    const found = caller();
    who = found.name;
    if (!hasRight(found, right)) throw insufficientScope(right);
  } catch (thrown) {
    recordRefusal(run, settings, toDowserError(thrown).code, who);
    throw thrown;
  }
  return { secret, caller };
}

function recordRefusal(run: CommandRun, settings: Settings, code: ErrorCode, who = 'anonymous'): void {
  if (!keepsAudit(settings) || !isRefusal(code)) return;
  const trail = commandTrail(settings);
  trail.refused({ ...commandContext(run), who }, code);
  trail.close();
}
