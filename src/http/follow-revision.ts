import type { MiddlewareHandler } from 'hono';
import { REVISION_HEADER } from '../api/revision-header.ts';
import { DowserError } from '../model/errors.ts';
import type { Replica, VectorServer } from '../registry/registry.ts';

/** How long a request waits for the write that its caller has made through another node. */
const MAX_WAIT_MS = 2_000;

/**
 * Read your writes through a load balancer: a write answers with its revision, and a request with that revision waits until
 * this node has it.
 */
export function followRevision(replica: Replica | null): MiddlewareHandler {
  return async (c, next) => {
    if (replica === null) return next();
    const wanted = Number(c.req.header(REVISION_HEADER) ?? 0);
    if (Number.isSafeInteger(wanted) && !(await replica.reached(wanted, MAX_WAIT_MS))) {
      throw new DowserError(
        'REPLICA_BEHIND',
        `This node is at revision ${replica.status().revision}, before ${wanted}.`,
        {
          hint: 'Try again, or ask another node.',
        },
      );
    }
    await next();
    if (c.req.method !== 'GET') c.res.headers.set(REVISION_HEADER, String(replica.status().revision));
    return undefined;
  };
}

/** Throws while a load balancer should ask another node. A vector server that is lost later is lost to all nodes. */
export function checkReady(replica: Replica | null, vectorServer: VectorServer | null): void {
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
  const { error, revision, head, behindMs, isUsable } = status;
  const state = `is at revision ${revision} of ${head}, ${Math.round(behindMs / 1000)} seconds behind`;
  throw new DowserError('REPLICA_BEHIND', error === null ? `This node ${state}.` : error.message, {
    hint: `${error?.hint ?? 'It catches up by itself.'} ${isUsable ? FROM_COPY : REFUSED}`,
  });
}
