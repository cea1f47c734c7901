import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../config.ts';
import { admit } from './admit.ts';
import { endless } from './endless-streams.ts';
import { serverLoad } from './server-load.ts';

const BODY = 'x'.repeat(1000);
const free = { running: 0, bytes: 0 };
const held = { running: 1, bytes: BODY.length };

/** A server with one route that answers with a stream, and what is taken of its load. */
function streaming(mark: (response: Response) => Response = (response) => response) {
  const load = serverLoad(parseSettings({}));
  let stream!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stream = controller;
    },
  });
  const answer = () =>
    Promise.resolve(mark(new Response(body, { headers: { 'Content-Type': 'text/event-stream' }, status: 202 })));
  const app = new Hono().post('/', admit(load)('any', answer));
  return {
    ask: (signal?: AbortSignal) => app.request('/', { method: 'POST', body: BODY, signal: signal ?? null }),
    stream,
    taken: () => ({ running: load.admission.counts.running, bytes: load.bodies.budget.used }),
  };
}

describe('a streamed answer', () => {
  it('holds its place and its body until the stream ends', async () => {
    const { ask, stream, taken } = streaming();
    const response = await ask();
    expect([response.status, taken()]).toEqual([202, held]);
    const text = response.text();
    stream.enqueue(new TextEncoder().encode('event: one\n\n'));
    await new Promise(setImmediate);
    expect(taken()).toEqual(held);
    stream.close();
    expect(await text).toBe('event: one\n\n');
    expect(taken()).toEqual(free);
  });

  it('gives them back when it fails, or its client leaves', async () => {
    const failing = streaming();
    const response = await failing.ask();
    failing.stream.error(new Error('broken'));
    await expect(response.text()).rejects.toThrow('broken');
    expect(failing.taken()).toEqual(free);
    const canceled = streaming();
    await (await canceled.ask()).body!.cancel();
    expect(canceled.taken()).toEqual(free);
    // The answers of these two are neither read nor canceled.
    const client = new AbortController();
    const left = streaming();
    await left.ask(client.signal);
    expect(left.taken()).toEqual(held);
    client.abort();
    await expect.poll(left.taken).toEqual(free);
    const leftEarly = streaming((response) => {
      early.abort();
      return response;
    });
    const early = new AbortController();
    await leftEarly.ask(early.signal);
    await expect.poll(leftEarly.taken).toEqual(free);
  });

  it('without an end holds nothing', async () => {
    const { ask, taken } = streaming(endless);
    const response = await ask();
    expect(taken()).toEqual(free);
    await response.body!.cancel();
  });
});

it('gives place and body back at once after any other answer, and after a failure', async () => {
  const load = serverLoad(parseSettings({}));
  const app = new Hono()
    .post(
      '/answer',
      admit(load)('any', async (c) => c.json({ running: load.admission.counts.running })),
    )
    .post(
      '/failure',
      admit(load)('any', () => Promise.reject(new Error('broken'))),
    );
  app.onError((_, c) => c.text('failed', 500));
  for (const [path, status] of [
    ['/answer', 200],
    ['/failure', 500],
  ] as const) {
    expect((await app.request(path, { method: 'POST', body: BODY })).status).toBe(status);
    expect([load.admission.counts.running, load.bodies.budget.used], path).toEqual([0, 0]);
  }
});
