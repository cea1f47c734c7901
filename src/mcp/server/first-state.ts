import { setTimeout as delay } from 'node:timers/promises';
import type { ListStates, MadeServer } from './create-mcp-server.ts';

/** How long a client waits for its first answer at most, while the lists are read. */
const MAX_WAIT_MS = 100;

/**
 * Reads the state of the lists that later ones are compared with, before the client can read any list. A large catalog takes
 * longer than the client should wait. It is unknown then whether the lists that the client has read meanwhile were older,
 * so the client is told to read them again.
 */
export async function readFirstState(
  { server, update }: MadeServer,
  lists: () => Promise<ListStates>,
  maxWait: () => Promise<unknown> = () => delay(MAX_WAIT_MS, undefined, { ref: false }),
): Promise<void> {
  const read = lists().then((states) => {
    update(states);
    if (states.resources !== '' && server.isConnected()) server.sendResourceListChanged();
  });
  await Promise.race([read, maxWait()]);
}
