import { callerOfKey } from '../access/identify.ts';
import { KeyStore } from '../access/key-store.ts';
import { insufficientScope } from '../model/access-errors.ts';
import { hasRight } from '../model/caller.ts';
import { commandNamed } from './command-table.ts';
import { type CommandKey, type CommandRun, settingsFor } from './context.ts';

/**
 * The key of `DOWSER_KEY`, as one of the data folder. Throws UNAUTHENTICATED, and INSUFFICIENT_SCOPE if the command needs
 * more than it has.
 */
export function commandKey(run: CommandRun): CommandKey {
  const secret = run.env.DOWSER_KEY!.trim();
  const { right } = commandNamed(run.name)!;
  const keys = new KeyStore(settingsFor(run).settings.data_dir);
  const caller = () => callerOfKey(keys, secret, new Date());
  if (right !== 'none' && !hasRight(caller(), right)) throw insufficientScope(right);
  return { secret, caller };
}
