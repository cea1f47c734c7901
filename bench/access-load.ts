import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileKeys } from '../src/access/file-keys.ts';
import type { Scope } from '../src/model/caller/caller.ts';
import { Findings } from './torture/findings.ts';
import { load } from './torture/load.ts';
import { credentials } from './torture/others-watch.ts';
import { type ServedProcess, serveProcess } from './torture/served-process.ts';

/**
 * A server with access on, and 200 callers who search and write at once. Then one more, who sends without a pause. Build first.
 *
 *   npx tsx bench/access-load.ts [seconds] [entities]
 */
const SECONDS = Number(process.argv[2] ?? 120);
const ENTITIES = Number(process.argv[3] ?? 10_000);
const CLIENTS = 200;
const HEAVY_CLIENTS = 200;
const HEAVY_SECONDS = 10;
const BATCH = 500;
const MAX_HEALTH_MS = 100;
/** Of the memory at the start of the second half. What a write adds is more than nothing. */
const MAX_GROWTH = 1.25;
const MEGABYTE = 1_000_000;
const GROUPS = ['north', 'south', 'east', 'west'];

const findings = new Findings();

function newKeys(data: string) {
  const store = new FileKeys(data);
  const create = (name: string, scopes: readonly Scope[], groups: readonly string[] = []) =>
    store.create({ name, scopes, groups, expiresAt: null }, new Date()).key;
  const admin = create('admin', ['admin']);
  const heavy = create('heavy', ['read']);
  const clients = Array.from({ length: CLIENTS }, (_, n) => create(`client-${n}`, ['write'], [GROUPS[n % 4]!]));
  store.close();
  return { admin, heavy, clients };
}

async function ask(url: string, path: string, key: string, body?: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...credentials(key) };
  return fetch(
    `${url}${path}`,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  );
}

/** Half of the entities are public, the others belong to one of four groups. */
async function fill(url: string, key: string): Promise<void> {
  for (let from = 0; from < ENTITIES; from += BATCH) {
    const entities = Array.from({ length: Math.min(BATCH, ENTITIES - from) }, (_, i) => {
      const n = from + i;
      const restricted = { visibility: 'group-restricted', allowed_groups: [GROUPS[(n >> 1) % 4]] };
      const description = `Does thing number ${n} with letters, mail and numbers.`;
      return { type: 'tool', path: `/tool-${n}`, name: `tool ${n}`, description, ...(n % 2 === 0 ? {} : restricted) };
    });
    const answer = await ask(url, '/api/entities:batch?vectors=later', key, { entities });
    if (!answer.ok) throw new Error(await answer.text());
  }
  for (;;) {
    const { index } = (await (await ask(url, '/api/health', key)).json()) as { index: { missing_vectors: number } };
    if (index.missing_vectors === 0) return;
    await wait(1000);
  }
}

async function memoryOf(url: string, key: string): Promise<number> {
  const text = await (await ask(url, '/metrics', key)).text();
  const [, bytes] = /^process_resident_memory_bytes (\S+)$/m.exec(text) ?? [];
  return Math.round(Number(bytes) / MEGABYTE);
}

/** The answers by status to a caller who never waits. */
async function sendWithoutPause(url: string, key: string): Promise<Record<string, number>> {
  const until = performance.now() + HEAVY_SECONDS * 1000;
  const counts: Record<string, number> = {};
  const send = async () => {
    while (performance.now() < until) {
      const answer = await ask(url, '/api/search/semantic', key, { query: 'send a letter' });
      await answer.arrayBuffer();
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      const isTold = Number(answer.headers.get('retry-after')) >= 1;
      const mayRefuse = answer.status === 429 || answer.status === 503;
      findings.expect(answer.ok || (mayRefuse && isTold), `heavy caller: ${answer.status}, told when: ${isTold}`);
    }
  };
  await Promise.all(Array.from({ length: HEAVY_CLIENTS }, send));
  return counts;
}

async function measure({ url }: ServedProcess, data: string): Promise<void> {
  const keys = newKeys(data);
  await fill(url, keys.admin);
  const memory: Record<string, number> = { filled: await memoryOf(url, keys.admin) };
  const options = { clients: CLIENTS, all: true, maxHealthMs: MAX_HEALTH_MS, keys: keys.clients };
  // Two halves, so that growth is seen.
  await load(url, { ...options, seconds: SECONDS / 2 }, findings);
  memory.middle = await memoryOf(url, keys.admin);
  await load(url, { ...options, seconds: SECONDS / 2 }, findings);
  memory.end = await memoryOf(url, keys.admin);
  findings.report('memory in MB', memory);
  findings.expect(memory.end <= memory.middle * MAX_GROWTH, `memory grew from ${memory.middle} to ${memory.end} MB`);

  const others = load(url, { ...options, clients: CLIENTS / 4, all: false, seconds: HEAVY_SECONDS }, findings);
  const heavy = await sendWithoutPause(url, keys.heavy);
  await others;
  findings.report('one more, without a pause', heavy);
  findings.expect((heavy[429] ?? 0) + (heavy[503] ?? 0) > 0, 'the heavy caller was not told to wait');
}

const folder = await mkdtemp(join(tmpdir(), 'dowser-access-load-'));
const data = join(folder, 'data');
const server = await serveProcess(data, { DOWSER_AUTH: 'on' });
try {
  await measure(server, data);
  findings.expect(server.child.exitCode === null, 'The server has ended.');
} finally {
  await server.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}
for (const problem of new Set(findings.problems)) console.error(`problem: ${problem}`);
process.exitCode = findings.problems.length === 0 ? 0 : 1;
