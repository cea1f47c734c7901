import type { ListStates, MadeServer } from './create-mcp-server.ts';

/** A client cannot have read a list, and somebody changed it, in less. */
const LATE_MS = 100;

/**
 * Reads the state of the lists that later ones are compared with. The client does not wait for it, and may read older lists
 * while a large catalog is read. Then it is unknown whether they have changed, so the client is told to read them again.
 */
export async function readFirstState(
  { server, update }: MadeServer,
  lists: () => Promise<ListStates>,
  now: () => number = () => performance.now(),
): Promise<void> {
  const began = now();
  const states = await lists();
  update(states);
  const isLate = now() - began > LATE_MS;
  if (isLate && states.resources !== '' && server.isConnected()) server.sendResourceListChanged();
}
