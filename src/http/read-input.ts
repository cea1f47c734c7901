import type { Context } from 'hono';
import type { Operation } from '../api/contract.ts';
import { parseWith } from '../model/parse.ts';
import { readBody } from './read-body.ts';

export interface RequestInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The parsed input of an operation. */
export async function readInput(c: Context, operation: Operation, bodyLimitBytes: number): Promise<RequestInput> {
  return {
    ...(operation.params && { params: parseWith(operation.params, paramsOf(c, operation.path), 'URL') }),
    ...(operation.query && { query: parseWith(operation.query, c.req.query(), 'query string') }),
    ...(operation.body && {
      body: parseWith(
        operation.body,
        await readBody(c.req.raw, bodyLimitBytes, operation.form === true),
        operation.subject ?? 'request',
      ),
    }),
  };
}

/** The router includes the fixed ending in `{name*}`. Remove it. */
function paramsOf(c: Context, template: string): Record<string, string> {
  const [, name, tail] = /\{(\w+)\*\}(.+)$/.exec(template) ?? [];
  const params = c.req.param() as Record<string, string>;
  if (name === undefined || tail === undefined) return params;
  return { ...params, [name]: (params[name] ?? '').slice(0, -tail.length) };
}
