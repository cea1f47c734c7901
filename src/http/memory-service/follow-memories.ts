import type { MemoryEvent } from '../../memories/parts/memory-events.ts';
import type { Caller } from '../../model/caller/caller.ts';
import type { Surface } from '../context/caller-surfaces.ts';
import { eventStream } from '../documents/event-stream.ts';
import { isStill } from '../edge/request-caller.ts';
import { endless } from '../load/endless-streams.ts';

type FollowParts = Parameters<Surface['followMemories']>[0] & {
  /** The caller of the request, as its credentials are now. Throws if they are no longer good. */
  readonly identify: () => Promise<Caller>;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal | undefined;
};

/** Events until the client leaves, loses its rights, or the server stops. */
export function followMemories(
  request: Request,
  { caller, followMemories: follow }: Pick<Surface, 'caller' | 'followMemories'>,
  { identify, stopping, ...options }: FollowParts,
): Response {
  if (request.method === 'HEAD') return new Response(null, { headers: { 'Content-Type': 'text/event-stream' } });
  const events = whileAllowed(follow(options), () => isStill(caller, identify));
  const end = () => void events.return?.();
  const ended = AbortSignal.any(stopping === undefined ? [request.signal] : [request.signal, stopping]);
  if (ended.aborted) end();
  else ended.addEventListener('abort', end, { once: true });
  return endless(eventStream(events));
}

/** A key may be revoked or expire while its stream is open: asks before each event, heartbeats too. */
function whileAllowed(
  events: AsyncIterableIterator<MemoryEvent>,
  isAllowed: () => Promise<boolean>,
): AsyncIterableIterator<MemoryEvent> {
  const end = async (): Promise<IteratorResult<MemoryEvent>> => {
    await events.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      const event = await events.next();
      return event.done === true || (await isAllowed()) ? event : end();
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
