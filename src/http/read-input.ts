import type { Context } from 'hono';
import type { Operation } from '../api/operation.ts';
import { parseWith } from '../model/parse.ts';
import { readBody } from './read-body.ts';

export interface RequestInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The input of an operation, parsed unless its body is raw. `body` has been received. */
export async function readInput(c: Context, operation: Operation, body: Uint8Array | undefined): Promise<RequestInput> {
  return {
    ...(operation.params && { params: parseWith(operation.params, paramsOf(c, operation.path), 'URL') }),
    ...(operation.query && { query: parseWith(operation.query, c.req.query(), 'query string') }),
    ...(operation.body && { body: await bodyOf(c, operation, body ?? new Uint8Array()) }),
  };
}

async function bodyOf(c: Context, operation: Operation, bytes: Uint8Array): Promise<unknown> {
  const { body: schema, form, raw, subject = 'request' } = operation;
  const body = await readBody(bytes, c.req.header('content-type') ?? null, form === true);
  return schema === undefined || raw === true ? body : parseWith(schema, body, subject);
}

/** The router includes the fixed ending in `{name*}`. Remove it. */
function paramsOf(c: Context, template: string): Record<string, string> {
  const [, name, tail] = /\{(\w+)\*\}(.+)$/.exec(template) ?? [];
  const params = c.req.param() as Record<string, string>;
  if (name === undefined || tail === undefined) return params;
  return { ...params, [name]: (params[name] ?? '').slice(0, -tail.length) };
}
