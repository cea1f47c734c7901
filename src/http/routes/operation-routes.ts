import { contract, type Handlers } from '../../api/contract.ts';
import { NOT_OFFERED_ROUTES } from '../../api/routes/not-offered-routes.ts';
import { OPERATION_RIGHTS } from '../../api/routes/rights.ts';
import { OPERATION_NAMES, type OperationName } from '../../api/routes/routes.ts';
import { isNotFound } from '../../api/wire/if-found.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { MAX_QUERY_CHARS } from '../../model/query/query.ts';
import { KeptAnswers } from '../body/kept-answers.ts';
import type { RequestInput } from '../body/read-input.ts';
import { readInput } from '../body/read-input.ts';
import { toJson } from '../body/remembered-records.ts';
import type { Reply } from '../body/reply.ts';
import { sendJson, sendReply } from '../body/send-reply.ts';
import type { SurfaceAnswer } from '../context/as-caller.ts';
import { warnReaders } from '../context/warn-readers.ts';
import { unknownParameters } from '../edge/unknown-parameters.ts';
import type { RouteParts } from './route-parts.ts';

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
  const kept = new KeptAnswers();
  for (const name of OPERATION_NAMES) {
    const withWarnings = unknownParameters(contract[name]);
    const answer: SurfaceAnswer = async (c, surface, body) => {
      const key = name === 'search' && body !== undefined ? kept.keyOf(surface, c.req.url, body) : null;
      const known = key === null ? undefined : await kept.get(key);
      if (known !== undefined) {
        if (options.logQueryText) c.set('facts', { query: known.query });
        return sendJson(c, known.json);
      }
      const input = await readInput(c, contract[name], body);
      const query = SEARCHES.has(name) ? queryOf(input.body) : '';
      if (options.logQueryText && SEARCHES.has(name)) c.set('facts', { query });
      const given = await runOperation(name, input, surface.handlers);
      const reply = withWarnings(() => Object.keys(c.req.query()), given);
      const warned = await warnReaders(surface, reply, { asked: input.params, isOurs: true });
      if (key === null || given.held == null) return sendReply(c, warned);
      const json = toJson(warned.body);
      kept.add(key, { json, query, held: given.held });
      return sendJson(c, json);
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

/** `/api/servers/{path*}/tools` -> the operation of `/api/servers/{path*}` with the same method, and `/tools`. */
function wholePathOf(name: OperationName): { readonly whole: OperationName; readonly tail: string } | undefined {
  const { method, path } = contract[name];
  const [, template, tail] = /^(.*\{path\*\})(\/.+)$/.exec(path) ?? [];
  const whole = OPERATION_NAMES.find((other) => contract[other].method === method && contract[other].path === template);
  return whole === undefined || tail === undefined ? undefined : { whole, tail };
}

/** A path may itself end like a route. If the shorter path has no entity, try the whole path. */
async function runOperation(name: OperationName, input: RequestInput, handlers: Handlers): Promise<Reply> {
  const run = (operation: OperationName, given: unknown) =>
    (handlers[operation] as (input: unknown) => Promise<Reply>)(given);
  try {
    return await run(name, input);
  } catch (thrown) {
    const other = wholePathOf(name);
    if (other === undefined || !isNotFound(thrown)) throw thrown;
    const params = input.params as Readonly<Record<string, string>>;
    const tail = other.tail.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    try {
      return await run(other.whole, {
        query: {},
        ...input,
        params: { ...params, path: `${params.path}${tail}` },
      });
    } catch (again) {
      throw isNotFound(again) ? thrown : again;
    }
  }
}
