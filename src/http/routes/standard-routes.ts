import { STANDARD_RIGHTS } from '../../api/routes/rights.ts';
import {
  type RequestFacts,
  STANDARD_NAMES,
  standardsContract,
  UNSUPPORTED_ROUTES,
} from '../../api/routes/standards-contract.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { type RequestInput, readInput } from '../body/read-input.ts';
import type { Reply } from '../body/reply.ts';
import { sendReply } from '../body/send-reply.ts';
import type { SurfaceAnswer } from '../context/as-caller.ts';
import { warnReaders } from '../context/warn-readers.ts';
import { createStandardHandlers } from '../standards/standard-handlers.ts';
import type { RouteParts } from './route-parts.ts';

/** The routes that other people's standards specify. */
export function addStandardRoutes({ options, route, asCaller }: RouteParts, registry: LocalRegistry): void {
  const handlers = createStandardHandlers({ ...options, registry });
  for (const name of STANDARD_NAMES) {
    const handle = handlers[name] as (input: RequestInput, request: RequestFacts) => Promise<Reply>;
    const answer: SurfaceAnswer = async (c, surface, body) => {
      const input = await readInput(c, standardsContract[name], body);
      const facts: RequestFacts = {
        origin: new URL(c.req.url).origin,
        a2aVersion: c.req.header('a2a-version') ?? c.req.query('A2A-Version'),
      };
      const reply = await handle(input, facts);
      return sendReply(c, await warnReaders(surface, reply, { asked: input.params, isOurs: false }));
    };
    route(standardsContract[name], asCaller(name, STANDARD_RIGHTS[name], standardsContract[name], answer));
  }
  for (const unsupported of UNSUPPORTED_ROUTES) {
    route(unsupported, () => {
      throw new DowserError('NOT_IMPLEMENTED', `${unsupported.method} ${unsupported.path} is not supported.`, {
        hint: 'This API is read-only. Publish with PUT /api/entities/mcp_server/{path}.',
      });
    });
  }
}
