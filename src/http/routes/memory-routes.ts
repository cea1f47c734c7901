import { isShared } from '../../access/reach.ts';
import type { EdgeType } from '../../model/entity-parts/edge.ts';
import { limitKey } from '../context/app-context.ts';
import type { SurfaceAnswer } from '../context/as-caller.ts';
import { readerOf } from '../documents/shared-reader.ts';
import { answerService, hasBody } from '../memory-service/answer-service.ts';
import { followMemories } from '../memory-service/follow-memories.ts';
import { SERVICE_ROUTES } from '../memory-service/service-routes.ts';
import type { RouteParts } from './route-parts.ts';

/** The routes of the memory service. */
export function addMemoryRoutes({ options, route, asCaller, callerOf, reader: shared }: RouteParts): void {
  for (const one of SERVICE_ROUTES) {
    const answer: SurfaceAnswer = (c, own, body) => {
      const follow = () =>
        followMemories(c.req.raw, own, {
          isSoleOwner: !isShared(options),
          who: limitKey(own.caller, c),
          identify: () => callerOf(c.req.raw, one.right),
          stopping: options.stopping,
        });
      const tagOf = async (hash: string) =>
        (await own.handlers.getMemory({ body: { content_hash: hash } })).headers ?? {};
      const reader = readerOf(limitKey(own.caller, c), shared);
      const relate = async (hash: string, other: string, type: EdgeType) => {
        const pathOf = async (content_hash: string) =>
          (await own.handlers.getMemory({ body: { content_hash } })).body.path;
        const [path, target] = [await pathOf(hash), await pathOf(other)];
        // In one turn: of two relations that are added at once, both must stay.
        await own.change('memory', path, (memory) => {
          const { relations = [] } = memory;
          const others = relations.filter((known) => known.type !== type || known.target !== target);
          return { ...memory, relations: [...others, { type, target }] };
        });
      };
      const parts = { memories: own.memories, warningsOf: own.warningsOf, tagOf, relate, follow, reader };
      return answerService(c, one, parts, body);
    };
    route(one, asCaller(`${one.method} ${one.path}`, one.right, hasBody(one) ? 'any' : 'none', answer));
  }
}
