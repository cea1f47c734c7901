/**
 * The stream of a response, until its caller is no longer allowed to read it: a key may be revoked or expire while a stream is
 * open. Asks before each part is sent.
 */
export function whileAllowed(response: Response, isAllowed: () => Promise<boolean>): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done && (await isAllowed())) return controller.enqueue(value);
        if (!done) await reader.cancel();
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}
