/**
 * Calls `end` once: when the event stream of the response ends, fails or is canceled, or the client of the request leaves. At
 * once where there is no stream.
 */
export function whenBodyEnds(request: Request, response: Response, end: () => void): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // Only a stream is asked for its body: that costs a copy of any other answer.
  const source = isStream ? response.body : null;
  if (source === null) {
    end();
    return response;
  }
  const reader = source.getReader();
  const { signal } = request;
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', stop);
    end();
  };
  // Whatever makes the events may take a moment to stop.
  const stop = () =>
    reader
      .cancel()
      .catch(() => {})
      .finally(over);
  // The server does not cancel the body of a client that left before the answer.
  if (signal.aborted) void stop();
  else signal.addEventListener('abort', stop, { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          over();
          controller.close();
        } catch (thrown) {
          over();
          controller.error(thrown);
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

/** Answers, and releases what the answer takes when its body ends, or when it fails. */
export async function holdUntilSent(
  request: Request,
  answer: () => Promise<Response>,
  release: () => void,
): Promise<Response> {
  let response: Response;
  try {
    response = await answer();
  } catch (thrown) {
    release();
    throw thrown;
  }
  return whenBodyEnds(request, response, release);
}
