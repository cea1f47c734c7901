import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { parseSettings } from '../../src/config.ts';
import { startServer } from '../../src/http/server.ts';
import { openRegistry } from '../../src/open.ts';
import { fakeVector } from '../support/fake-embedding-server.ts';

const DIMENSIONS = 16;

/** An embedding endpoint that can be stopped and started again at the same address. */
class Endpoint {
  requests = 0;
  #server: Server | undefined;
  #port = 0;
  /** While set, every request gets this status. */
  failing: number | null = null;

  get base(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      this.requests++;
      let body = '';
      for await (const part of request) body += part;
      const { input } = JSON.parse(body) as { input: string[] };
      response.writeHead(this.failing ?? 200, { 'content-type': 'application/json' });
      if (this.failing !== null) return response.end('{"error": {"message": "not now"}}');
      return response.end(
        JSON.stringify({ data: input.map((text, index) => ({ index, embedding: fakeVector(text, DIMENSIONS) })) }),
      );
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

let dir: string;
let endpoint: Endpoint;
let client: Client;
let close: () => Promise<void>;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-load-'));
  endpoint = new Endpoint();
  await endpoint.start();
  const settings = parseSettings({
    data_dir: dir,
    port: 0,
    indexing_wait_ms: 200,
    embeddings_provider: 'openai',
    embeddings_model_name: 'm',
    embeddings_dimensions: DIMENSIONS,
    embeddings_api_base: endpoint.base,
  });
  const registry = await openRegistry(settings);
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({ registry, version: '0', logger, settings });
  client = createClient({ baseUrl: server.url });
  close = () => server.close();
});
afterEach(async () => {
  await close();
  await endpoint.stop();
  await rm(dir, { recursive: true, force: true });
});

const entity = (n: number, about: string) =>
  ({
    type: 'tool',
    path: `/${about}-${n}`,
    name: `${about} ${n}`,
    description: `All about ${about} number ${n}.`,
  }) as const;
const fill = (about: string, count: number) =>
  client.putEntities({ body: { entities: Array.from({ length: count }, (_, n) => entity(n, about)) } });
const missing = async () => (await client.health()).index.missing_vectors;

/** What the embedding endpoint does. */
type Phase = 'up' | 'changing' | 'down' | 'recovered';

interface Seen {
  /** The phase in which the search began, and in which it ended. */
  readonly phases: readonly [Phase, Phase];
  readonly mode: string;
  readonly warned: boolean;
  /** Whether any result has a cosine. */
  readonly near: boolean;
  readonly found: number;
}

/** A question that no cache has seen, in words that every document has: whatever the mode, something fits. */
const questionNo = (n: number) => `lamps ${n % 20} ${Math.floor(n / 20) % 20} ${Math.floor(n / 400) % 20}`;

/** Asks without a pause, each question once, until it is told to stop. */
function askAll(workers: number): { phase: Phase; readonly seen: readonly Seen[]; stop(): Promise<void> } {
  const seen: Seen[] = [];
  let stopped = false;
  let count = 0;
  const ask = async () => {
    while (!stopped) {
      const began = load.phase;
      const answer = await client.search({ body: { query: questionNo(count++) } });
      seen.push({
        phases: [began, load.phase],
        mode: answer.search_mode,
        warned: answer.warnings.some((warning) => warning.includes('by keyword only')),
        near: answer.results.some(({ similarity_score }) => similarity_score !== null),
        found: answer.results.length,
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const load = {
    phase: 'up' as Phase,
    seen,
    async stop() {
      stopped = true;
      await running;
    },
  };
  const running = Promise.all(Array.from({ length: workers }, ask));
  // A search that fails is told by `stop`.
  running.catch(() => undefined);
  return load;
}

it('LEX-2, LEX-3, LEX-4: answers every search while the embedder goes and comes back, and says how', async () => {
  await fill('lamps', 20);
  await expect.poll(missing).toBe(0);
  const load = askAll(4);
  const seenIn = (phase: Phase) => load.seen.filter(({ phases }) => phases.every((each) => each === phase));
  const enough = (phase: Phase) => expect.poll(() => seenIn(phase).length).toBeGreaterThan(20);
  await enough('up');

  load.phase = 'changing';
  await endpoint.stop();
  load.phase = 'down';
  expect(await fill('ropes', 10)).toMatchObject({ created: 10, pending_vectors: 10 });
  expect(await missing()).toBe(10);
  const { results } = await client.search({ body: { query: 'ropes number 3' } });
  expect(results[0]).toMatchObject({ path: '/ropes-3' });
  await expect.poll(async () => (await client.health()).embedder.state).toBe('down');
  await enough('down');

  load.phase = 'changing';
  await endpoint.start();
  await expect.poll(missing).toBe(0);
  await expect.poll(async () => (await client.health()).embedder.state).toBe('ready');
  load.phase = 'recovered';
  await enough('recovered');
  await load.stop();

  for (const { mode, warned, near, found } of load.seen) {
    expect({ mode, near, found: found > 0 }).toEqual({ mode, near: mode === 'hybrid', found: true });
    expect(mode === 'lexical-only' ? warned : true).toBe(true);
  }
  const modesIn = (phase: Phase) => [...new Set(seenIn(phase).map(({ mode }) => mode))];
  expect(modesIn('up')).toEqual(['hybrid']);
  expect(modesIn('down')).toEqual(['lexical-only']);
  expect(modesIn('recovered')).toEqual(['hybrid']);
  const after = await client.search({ body: { query: 'ropes number 3' } });
  expect(after.results.find(({ path }) => path === '/ropes-3')?.similarity_score).not.toBeNull();
  expect((await client.health()).status).toBe('healthy');
});

it('LEX-3: asks a failing embedder now and then, not with every search', async () => {
  await fill('lamps', 5);
  await expect.poll(missing).toBe(0);
  endpoint.failing = 401;
  const before = endpoint.requests;
  const load = askAll(4);
  await expect.poll(() => load.seen.length).toBeGreaterThan(200);
  await load.stop();
  expect(load.seen.every(({ mode, warned }) => mode === 'lexical-only' && warned)).toBe(true);
  // Those under way when the first was refused, and a trial after each pause, which doubles.
  expect(endpoint.requests - before).toBeLessThan(load.seen.length / 10);
});
