import { nameOf } from '../../access/audit-trail.ts';
import type { OperationName } from '../../api/routes/routes.ts';
import { fromConditions } from '../../api/wire/if-match.ts';
import { holdUntilSent } from '../../api/wire/when-body-ends.ts';
import { type Caller, hasRight, type Right, UNRESTRICTED } from '../../model/caller/caller.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { type CallerOf, refuseRight } from '../edge/request-caller.ts';
import { type Accepts, admit } from '../load/admit.ts';
import { addressKey } from '../load/caller-limits.ts';
import { type AppContext, limitKey } from './app-context.ts';
import type { AppOptions } from './app-options.ts';
import type { Surface, SurfaceOf } from './caller-surfaces.ts';
import { reachRevision } from './follow-revision.ts';

/** Answered until the end: whether the process lives, and how it does. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['health', 'ping', 'metrics'] satisfies OperationName[]);

const serverStopping = (): DowserError =>
  new DowserError('SERVER_STOPPING', 'The server is about to stop.', {
    hint: 'Ask another server, or send the request again after the time in the Retry-After header.',
  });

/** Answers a request as its caller. */
export type SurfaceAnswer = (c: AppContext, surface: Surface, body?: Uint8Array) => Promise<Response>;

/** Answers as the caller of the request, if it has the right. Nothing of its body is read before that. */
export type AsCaller = (
  action: string,
  right: Right,
  accepts: Accepts,
  answer: SurfaceAnswer,
) => (c: AppContext) => Promise<Response>;

export function answersAsCaller(options: AppOptions, callerOf: CallerOf, surfaceOf: SurfaceOf): AsCaller {
  const { load, access } = options;
  const admitted = admit(load);
  /** Wrong credentials count against the address they come from. Good ones do not: all callers of a proxy share its address. */
  const known = async (c: AppContext, right: Right): Promise<Caller> => {
    try {
      return await callerOf(c.req.raw, right);
    } catch (thrown) {
      if (toDowserError(thrown).code === 'UNAUTHENTICATED') load.callers.take(addressKey(c.get('address')));
      throw thrown;
    }
  };
  return (action, right, accepts, answer) => {
    const inTurn = admitted(accepts, (c: AppContext, body) => answer(c, c.get('surface')!, body));
    return async (c) => {
      const context = access?.trail?.current;
      if (context !== undefined) context.action = action;
      c.set('right', right);
      const isRefused = action === 'ready' && options.isDraining?.() === true;
      if (isRefused || (options.isClosing?.() === true && !ALWAYS_ANSWERED.has(action))) throw serverStopping();
      const caller = await known(c, right);
      if (context !== undefined) context.who = nameOf(caller);
      const work = async () => {
        if (!hasRight(caller, right)) refuseRight(caller, right);
        if (options.registry.replica !== null) await reachRevision(options.registry.replica, c);
        const mayChange = right !== 'read' && right !== 'none';
        c.set('surface', surfaceOf(caller, mayChange ? fromConditions(c.req.header()) : {}));
        return inTurn(c);
      };
      const isFree = caller === UNRESTRICTED || accepts === 'unqueued';
      if (isFree) return work();
      const key = limitKey(caller, c);
      c.set('takeMore', (requests) => load.callers.take(key, requests));
      return holdUntilSent(c.req.raw, work, load.callers.enter(key));
    };
  };
}
