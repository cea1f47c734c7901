import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { damagedStores } from '../../bench/torture/damage/damaged-stores.ts';
import { type EmbeddingEndpoint, startEmbeddingEndpoint } from '../../bench/torture/embedding-endpoint.ts';
import { heavyCaller, WITH_SHARES } from '../../bench/torture/heavy-caller.ts';
import { killRounds } from '../../bench/torture/kill/kill-rounds.ts';
import { fuzz } from '../../bench/torture/requests/fuzz.ts';
import { HOSTILE, sendHostile } from '../../bench/torture/requests/hostile-requests.ts';
import { rawConnections } from '../../bench/torture/requests/raw-connections.ts';
import { type Environment, type ServedProcess, serveProcess } from '../../bench/torture/served-process.ts';

/** The short form of `npm run torture`: the same parts with small counts, and without times. */
const KILL_ROUNDS = 8;
const DAMAGED = 30;
const REQUESTS = 1500;
const CONNECTIONS = 300;
/** Some of them hang if something is wrong. */
const TIMEOUT = { timeout: 300_000 };

let embeddings: EmbeddingEndpoint;
beforeAll(async () => {
  embeddings = await startEmbeddingEndpoint();
});
afterAll(() => embeddings.close());

/** The server must live until the end. */
async function withServer(
  work: (server: ServedProcess, data: string) => Promise<void>,
  env: Environment = {},
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-torture-'));
  const data = join(dir, 'data');
  const server = await serveProcess(data, { ...embeddings.environment('north'), ...env });
  try {
    await work(server, data);
    expect(server.child.exitCode).toBeNull();
  } finally {
    await server.end('SIGTERM');
    rmSync(dir, { recursive: true, force: true });
  }
}

it('loses nothing that was acknowledged, however often the server is killed', TIMEOUT, async () => {
  const { rounds, writes, backups } = await killRounds({ rounds: KILL_ROUNDS, seed: 1, embeddings });
  expect(rounds).toBe(KILL_ROUNDS);
  expect(writes).toBeGreaterThan(KILL_ROUNDS);
  expect(backups).toBeGreaterThan(0);
});

it('opens a damaged store whole, or refuses it and repairs it', TIMEOUT, async () => {
  const report = await damagedStores({ stores: DAMAGED, seed: 1, embeddings });
  for (const [outcome, count] of Object.entries(report)) expect(count, outcome).toBeGreaterThan(0);
});

it('answers no bad request as an error of the server', TIMEOUT, async () => {
  await withServer(async ({ url, port }) => {
    for (const request of HOSTILE) expect(await sendHostile(url, request), request.name).toBeLessThan(500);
    const { statuses, problems } = await fuzz(url, REQUESTS, 1);
    expect(problems).toEqual([]);
    for (const status of ['200', '400', '404', '422']) expect(statuses[status], status).toBeGreaterThan(0);
    const raw = await rawConnections(port, CONNECTIONS, 1);
    expect(raw.problems).toEqual([]);
    for (const status of ['200', '400']) expect(raw.statuses[status], status).toBeGreaterThan(0);
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  });
});

it('tells one heavy caller to wait, and serves another beside it', TIMEOUT, async () => {
  await withServer(async ({ url }, data) => {
    const { heavy, light, problems } = await heavyCaller(data, url, { clients: 200, requests: 800 });
    expect(problems).toEqual([]);
    expect([heavy['200'], heavy['429'], light['200']].every((count) => count! > 0)).toBe(true);
  }, WITH_SHARES);
});
