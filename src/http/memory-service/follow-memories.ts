import type { MemoryEvent } from '../../memories/memory-events.ts';
import { eventStream } from '../documents/event-stream.ts';
import { endless } from '../endless-streams.ts';

/** Events until the client leaves or the server stops. */
export function followMemories(
  request: Request,
  follow: () => AsyncIterableIterator<MemoryEvent>,
  stopping: AbortSignal | undefined,
): Response {
  if (request.method === 'HEAD') return new Response(null, { headers: { 'Content-Type': 'text/event-stream' } });
  const events = follow();
  const end = () => void events.return?.();
  const ended = AbortSignal.any(stopping === undefined ? [request.signal] : [request.signal, stopping]);
  if (ended.aborted) end();
  else ended.addEventListener('abort', end, { once: true });
  return endless(eventStream(events));
}
