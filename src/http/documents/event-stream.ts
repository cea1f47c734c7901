import { toDowserError } from '../../model/errors/errors.ts';

interface Event {
  readonly type: string;
}

/** Some clients read the `event:` line, others the `type` in the data. */
const encoded = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Server-sent events. A failure on the way is the last event: `{"type": "error", "code", "error"}`. */
export function eventStream(events: AsyncIterable<Event>, signal?: AbortSignal): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  const end = async () => {
    await iterator.return?.();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done === true || signal?.aborted === true) controller.close();
        else controller.enqueue(encoder.encode(encoded(value)));
      } catch (thrown) {
        const { code, message } = toDowserError(thrown);
        const failure = { type: 'error', code, error: message };
        controller.enqueue(encoder.encode(encoded(failure)));
        controller.close();
      }
    },
    cancel: end,
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
