import { AsyncLocalStorage } from 'node:async_hooks';
import { isEventStream } from '../fetch/bounded-fetch.ts';

/** The stream of an answer has ended, and the answer was not in it. */
export class StreamEnded extends Error {}

/** How long what is read of a stream may take to be parsed after its end. */
const PARSE_MS = 500;

/** How to end the wait for each answer. One for all connections: in Node 20, each of these slows every promise down for ever. */
const requests = new AsyncLocalStorage<() => void>();

/**
 * Does one request. Throws StreamEnded if the event stream of its answer ends first. The protocol's library would wait until its
 * time limit, because such a stream could be resumed. None is: whoever waits is told, and decides whether to ask again.
 */
export async function untilStreamEnds<T>(request: () => Promise<T>): Promise<T> {
  let end = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => reject(new StreamEnded('ended the stream of its answer'));
  });
  // Only one of the two is awaited in the end.
  ended.catch(() => {});
  return Promise.race([requests.run(end, request), ended]);
}

/** The response, of a request that `untilStreamEnds` does or of another one. */
export function watchAnswer(response: Response): Response {
  const end = requests.getStore();
  return end === undefined ? response : whenStreamEnds(response, end);
}

/** Calls `onEnd` after an event stream has ended or failed. Not if its reader cancels it. */
export function whenStreamEnds(response: Response, onEnd: () => void): Response {
  const { body, headers } = response;
  if (body === null || !isEventStream(headers)) return response;
  const reader = body.getReader();
  const end = () => setTimeout(onEnd, PARSE_MS).unref();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const copy = new Response(watched, response);
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}
