import type { Context } from 'hono';
import type { Operation } from '../../api/operation.ts';
import { STANDARD_NAMES, standardsContract, UNSUPPORTED_ROUTES } from '../../api/standards-contract.ts';
import { DowserError } from '../../model/errors.ts';
import { readInput } from '../read-input.ts';
import { createStandardHandlers, type StandardsOptions } from './standard-handlers.ts';

export interface StandardRoute {
  readonly method: string;
  /** As in the contract: `{name}` is one segment. */
  readonly path: string;
  readonly answer: (c: Context) => Promise<Response>;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The routes of `standardsContract`, then the unsupported ones (501). */
export function standardRoutes(
  options: StandardsOptions & { readonly bodyLimitBytes: number },
): readonly StandardRoute[] {
  const handlers = createStandardHandlers(options);
  const routes = STANDARD_NAMES.map((name): StandardRoute => {
    const operation: Operation = standardsContract[name];
    const handle = handlers[name] as (input: unknown, request: unknown) => Promise<Reply>;
    return {
      method: operation.method,
      path: operation.path,
      async answer(c) {
        const input = await readInput(c, operation, options.bodyLimitBytes);
        const { origin } = new URL(c.req.url);
        const { status, body, headers } = await handle(input, { origin, ifNoneMatch: c.req.header('if-none-match') });
        for (const [header, value] of Object.entries(headers ?? {})) c.header(header, value);
        if (body === undefined) return c.body(null, status as 304);
        if (typeof body === 'string') return c.body(body, status as 200);
        return c.json(body as object, status as 200);
      },
    };
  });
  return [...routes, ...UNSUPPORTED_ROUTES.map(unsupported)];
}

function unsupported({ method, path }: (typeof UNSUPPORTED_ROUTES)[number]): StandardRoute {
  return {
    method,
    path,
    async answer() {
      throw new DowserError('NOT_IMPLEMENTED', `${method} ${path} is not supported.`, {
        hint: 'This API is read-only. Publish with PUT /api/entities/mcp_server/{path}.',
      });
    },
  };
}
