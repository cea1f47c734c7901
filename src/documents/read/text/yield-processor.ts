import { constants, setPriority } from 'node:os';

/** Other processes of the machine go before this one: a server that answers searches does not wait for a scan. */
export function yieldProcessor(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some containers do not allow it. The work is the same.
  }
}
