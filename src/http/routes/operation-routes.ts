import { contract } from '../../api/contract.ts';
import { NOT_OFFERED_ROUTES } from '../../api/not-offered-routes.ts';
import { OPERATION_RIGHTS } from '../../api/rights.ts';
import { OPERATION_NAMES, type OperationName } from '../../api/routes.ts';
import { DowserError } from '../../model/errors.ts';
import { isJsonObject } from '../../model/json-object.ts';
import { MAX_QUERY_CHARS } from '../../model/query.ts';
import type { SurfaceAnswer } from '../as-caller.ts';
import { readInput } from '../read-input.ts';
import { sendReply } from '../send-reply.ts';
import { unknownParameters } from '../unknown-parameters.ts';
import { warnReaders } from '../warn-readers.ts';
import type { RouteParts } from './route-parts.ts';
import { runOperation } from './run-operation.ts';

/** Operations with a query in the body. It is logged only if the setting allows it. */
const SEARCHES: ReadonlySet<OperationName> = new Set([
  'search',
  'searchTools',
  'searchMemories',
  'searchDocuments',
  'searchCollection',
]);

/** Answered at once, also by a server that is busy. */
const UNQUEUED: ReadonlySet<OperationName> = new Set(['health', 'ping', 'ready', 'metrics']);

/** Every operation of the contract has its route. */
export function addOperationRoutes({ options, route, asCaller }: RouteParts): void {
  for (const { why, ...refused } of NOT_OFFERED_ROUTES) {
    route(refused, () => {
      throw new DowserError('NOT_IMPLEMENTED', `Not offered: ${why}`);
    });
  }
  for (const name of OPERATION_NAMES) {
    const withWarnings = unknownParameters(contract[name]);
    const answer: SurfaceAnswer = async (c, surface, body) => {
      const input = await readInput(c, contract[name], body);
      if (options.logQueryText && SEARCHES.has(name)) c.set('facts', { query: queryOf(input.body) });
      const reply = withWarnings(() => Object.keys(c.req.query()), await runOperation(name, input, surface.handlers));
      return sendReply(c, await warnReaders(surface, reply, { asked: input.params, isOurs: true }));
    };
    const accepts = UNQUEUED.has(name) ? 'unqueued' : contract[name];
    route(contract[name], asCaller(name, OPERATION_RIGHTS[name], accepts, answer));
  }
}

/** The body is not parsed yet. */
function queryOf(body: unknown): string {
  const { query } = isJsonObject(body) ? body : {};
  return typeof query === 'string' ? query.slice(0, MAX_QUERY_CHARS) : '';
}
