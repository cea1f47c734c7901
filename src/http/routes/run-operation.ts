import { contract, type Handlers } from '../../api/contract.ts';
import { isNotFound } from '../../api/if-found.ts';
import { OPERATION_NAMES, type OperationName } from '../../api/routes.ts';
import type { RequestInput } from '../read-input.ts';
import type { Reply } from '../reply.ts';

/** `/api/servers/{path*}/tools` -> the operation of `/api/servers/{path*}` with the same method, and `/tools`. */
function wholePathOf(name: OperationName): { readonly whole: OperationName; readonly tail: string } | undefined {
  const { method, path } = contract[name];
  const [, template, tail] = /^(.*\{path\*\})(\/.+)$/.exec(path) ?? [];
  const whole = OPERATION_NAMES.find((other) => contract[other].method === method && contract[other].path === template);
  return whole === undefined || tail === undefined ? undefined : { whole, tail };
}

/** A path may itself end like a route. If the shorter path has no entity, try the whole path. */
export async function runOperation(name: OperationName, input: RequestInput, handlers: Handlers): Promise<Reply> {
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
