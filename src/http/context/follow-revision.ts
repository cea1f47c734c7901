import { printRevision, REVISION_HEADER, readRevision } from '../../api/wire/revision-header.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Replica } from '../../registry/contract/registry.ts';
import type { AppContext } from './app-context.ts';

/** How long a request waits for the write that its caller has made through another node. */
const MAX_WAIT_MS = 2_000;

/**
 * Read your writes through a load balancer: a request with the revision of a write waits until this node has that write.
 * Throws REPLICA_BEHIND.
 */
export async function reachRevision(replica: Replica, c: AppContext): Promise<void> {
  const wanted = readRevision(c.req.header(REVISION_HEADER) ?? '');
  if (wanted === null || (await replica.reached(wanted, MAX_WAIT_MS))) return;
  throw new DowserError('REPLICA_BEHIND', `This node does not have the write ${wanted.seq} yet.`, {
    hint: 'Try again, or ask another node.',
  });
}

/**
 * Says the revision of a write in its answer. It counts the writes of everyone, so only those are told who have written, or
 * who see everything.
 */
export function tellRevision(replica: Replica | null, c: AppContext): void {
  const surface = c.get('surface');
  if (replica === null || surface === undefined || c.req.method === 'GET') return;
  const mayKnow = surface.caller.readers === null || c.get('right') === 'write';
  if (!mayKnow) return;
  const { epoch, revision } = replica.status();
  c.res.headers.set(REVISION_HEADER, printRevision(epoch, revision));
}
