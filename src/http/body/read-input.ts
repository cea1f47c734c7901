import type { Context } from 'hono';
import type { Operation } from '../../api/routes/operation.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import { readBody } from './read-body.ts';

export interface RequestInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined;
}

/** The input of an operation, parsed unless its body is raw. `body` has been received. */
export async function readInput(c: Context, operation: Operation, body: Uint8Array | undefined): Promise<RequestInput> {
  return {
    ...(operation.params && { params: parseWith(operation.params, paramsOf(c, operation.path), 'URL') }),
    ...(operation.query && { query: parseWith(operation.query, queryOf(c), 'query string') }),
    ...(operation.headers && { headers: parseWith(operation.headers, c.req.header(), 'headers') }),
    ...(operation.body && { body: await bodyOf(c, operation, body ?? new Uint8Array()) }),
    signal: c.req.raw.signal,
  };
}

async function bodyOf(c: Context, operation: Operation, bytes: Uint8Array): Promise<unknown> {
  const { body: schema, form, raw, subject = 'request' } = operation;
  const body = await readBody(bytes, c.req.header('content-type') ?? null, form === true);
  return schema === undefined || raw === true ? body : parseWith(schema, body, subject);
}

/** The router includes the ending in `{name*}`. Remove it, and read the parameters that it has: they may have encoded slashes. */
function paramsOf(c: Context, template: string): Record<string, string> {
  const [, name, tail] = /\{(\w+)\*\}(.+)$/.exec(template) ?? [];
  const params: Record<string, string> = { ...(c.req.param() as Record<string, string>) };
  if (name === undefined || tail === undefined) return params;
  const names = tail.split('/').slice(1);
  const sent = trimEndChars(new URL(c.req.url).pathname, '/').split('/').slice(-names.length).map(decoded);
  for (const [at, part] of names.entries()) if (part.startsWith('{')) params[part.slice(1, -1)] = sent[at]!;
  const whole = trimEndChars(params[name] ?? '', '/');
  params[name] = whole.slice(0, whole.length - `/${sent.join('/')}`.length);
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Parameters that a client may repeat. Of any other, the first value counts. */
const REPEATABLE: readonly string[] = ['metadata_fields', 'filter'];

function queryOf(c: Context): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = c.req.query();
  for (const name of REPEATABLE) {
    if (query[name] === undefined) continue;
    const values = c.req.queries(name) ?? [];
    if (values.length > 1) query[name] = values;
  }
  return query;
}
