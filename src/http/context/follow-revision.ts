import { printRevision, REVISION_HEADER, readRevision } from '../../api/wire/revision-header.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Replica, VectorServer } from '../../registry/contract/registry.ts';
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

/** What a node needs to be ready. */
export interface Readiness {
  readonly damage: () => DowserError | null;
  readonly replica: Replica | null;
  readonly vectorServer: VectorServer | null;
}

/** Throws while a load balancer should ask another node. A vector server that is lost later is lost to all nodes. */
export function checkReady({ damage, replica, vectorServer }: Readiness): void {
  if (damage() !== null) {
    // Everyone may ask this, so it does not say where the data is.
    throw new DowserError('STORE_CORRUPT', 'The store of this node is damaged.', {
      hint: 'See its health report or its log. Restore a backup with `dowser restore`.',
    });
  }
  checkReplica(replica);
  const status = vectorServer?.status();
  if (status === undefined || status.isReady) return;
  throw (
    status.error ??
    new DowserError('VECTORS_UNAVAILABLE', `Connecting to the vector server at ${status.address}.`, {
      hint: 'Try again in a moment.',
    })
  );
}

const FROM_COPY = 'Searches are answered from the copy of this node meanwhile.';
const REFUSED = 'Searches are refused until the record has been read once.';

function checkReplica(replica: Replica | null): void {
  const status = replica?.status();
  if (status === undefined || status.isReady) return;
  const { error, behindMs, isUsable, isRebuilding } = status;
  // Without the number of writes: everyone may ask whether a node is ready.
  const state = isRebuilding
    ? 'The shared record went back in time, and this node rebuilds its copy of it.'
    : `This node is ${Math.round(behindMs / 1000)} seconds behind the shared record.`;
  throw new DowserError('REPLICA_BEHIND', error === null ? state : error.message, {
    hint: `${error?.hint ?? 'It catches up by itself.'} ${isUsable ? FROM_COPY : REFUSED}`,
  });
}
