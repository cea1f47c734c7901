/** `npm run torture`: kills, damages and floods real servers, and prints what they did. See `options.ts`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { twoCores } from '../cores.ts';
import { answerOf } from './ask.ts';
import { containers } from './containers.ts';
import { damagedPages } from './damage/damaged-pages.ts';
import { damagedStores } from './damage/damaged-stores.ts';
import { type EmbeddingEndpoint, startEmbeddingEndpoint } from './embedding-endpoint.ts';
import { Findings } from './findings.ts';
import { heavyCaller, WITH_SHARES } from './heavy-caller.ts';
import { killRounds } from './kill/kill-rounds.ts';
import { load } from './load.ts';
import { parseOptions, type TortureOptions, USAGE } from './options.ts';
import { quantile, watchOthers } from './others-watch.ts';
import { fuzz } from './requests/fuzz.ts';
import { HOSTILE, sendHostile } from './requests/hostile-requests.ts';
import { commonRuns, PLACE_NAMES, pumpedRequests } from './requests/pumped-requests.ts';
import { rawConnections } from './requests/raw-connections.ts';
import { type Environment, type ServedProcess, serveProcess } from './served-process.ts';
import { slowFiles } from './slow-files.ts';

/** Health of a server with as many clients as it must serve. */
const MAX_HEALTH_MS = 100;
/** The time of a request that is served beside refused ones, against one of as many clients as are served. */
const MAX_SLOWDOWN = 1.25;
const PROGRESS_EVERY = 50;
const HEAVY_CLIENTS = 200;
/** The first seconds of a server are slower: its code is not compiled yet. */
const WARM_UP_SECONDS = 10;

const findings = new Findings();
const progress = (what: string) => (done: number) => {
  if (done % PROGRESS_EVERY === 0) console.error(`${what}: ${done} done`);
};

/** Runs `work` with a server of its own. The server must live until the end. */
async function withServer(
  env: Environment,
  work: (server: ServedProcess, data: string) => Promise<void>,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-torture-'));
  const data = join(dir, 'data');
  const server = await serveProcess(data, env);
  try {
    await work(server, data);
    findings.expect(server.child.exitCode === null, 'The server has ended.');
  } finally {
    await server.end('SIGTERM');
    rmSync(dir, { recursive: true, force: true });
  }
}

async function fill(url: string, count: number): Promise<void> {
  const entities = Array.from({ length: count }, (_, n) => ({
    type: 'tool',
    path: `/tool-${n}`,
    name: `tool ${n}`,
    description: `Does thing number ${n} with letters, mail and numbers.`,
  }));
  for (let from = 0; from < count; from += 500) {
    const part = { entities: entities.slice(from, from + 500) };
    await answerOf(url, 'POST', '/api/entities:batch?vectors=later', part);
  }
}

/** Reports how long another caller waited while `work` ran, and expects less than the limit. */
async function watched<T>(url: string, what: string, maxDelay: number, work: () => Promise<T>) {
  const others = await watchOthers(url);
  const result = await work();
  const { health, read } = await others.stop();
  const longest = Math.max(quantile(health, 1), quantile(read, 1));
  findings.expect(longest <= maxDelay, `${what}: another caller waited ${longest} ms`);
  return { result, waits: { 'health max': quantile(health, 1), 'other request max': quantile(read, 1) } };
}

async function hostile({ url }: ServedProcess, maxDelay: number): Promise<void> {
  for (const request of HOSTILE) {
    const asked = performance.now();
    const { result: status, waits } = await watched(url, request.name, maxDelay, () => sendHostile(url, request));
    findings.report(request.name, { status, ms: Math.round(performance.now() - asked), ...waits });
    findings.expect(status < 500, `${request.name}: status ${status}`);
  }
}

async function randomRequests({ url, port }: ServedProcess, options: TortureOptions): Promise<void> {
  const { requests, connections, seed, maxDelay } = options;
  if (requests > 0) {
    const { result, waits } = await watched(url, 'random requests', maxDelay, () => fuzz(url, requests, seed));
    findings.report('random requests', { ...result.statuses, ...waits });
    findings.problems.push(...result.problems);
  }
  if (connections > 0) {
    const work = () => rawConnections(port, connections, seed);
    const { result, waits } = await watched(url, 'raw connections', maxDelay, work);
    findings.report('raw connections', { opened: result.connections, ...result.statuses, ...waits });
    findings.problems.push(...result.problems);
  }
}

/** Long runs of characters that keep the expressions of the sources busy, in every field that takes a long text. */
async function pumped({ url }: ServedProcess, { pumped: count, maxDelay }: TortureOptions): Promise<void> {
  if (count === 0) return;
  const runs = commonRuns(count);
  for (const place of PLACE_NAMES) {
    const statuses: Record<string, number> = {};
    const { waits } = await watched(url, `long runs in ${place}`, maxDelay, async () => {
      for (const request of pumpedRequests(place, runs)) {
        const status = await sendHostile(url, request);
        statuses[status] = (statuses[status] ?? 0) + 1;
        findings.expect(status < 500, `${request.name}: status ${status}`);
      }
    });
    findings.report(`long runs in ${place}`, { ...statuses, ...waits });
  }
}

async function containerRights(embeddings: EmbeddingEndpoint): Promise<void> {
  // Memories that the other writer cannot read prove nothing.
  const shared = { DOWSER_RATE_LIMIT: '0', DOWSER_MEMORY_READERS: 'everyone' };
  await withServer({ ...embeddings.environment('north'), ...WITH_SHARES, ...shared }, async ({ url }, data) => {
    const { problems, ...report } = await containers(data, url);
    findings.report('another writer in every operation', report);
    findings.problems.push(...problems);
  });
}

/** The size of the store whose pages are damaged one at a time. */
const DAMAGED_MEGABYTES = 50;

async function uploads(embeddings: EmbeddingEndpoint): Promise<void> {
  await withServer({ ...embeddings.environment('north'), ...WITH_SHARES }, async ({ url }, data) => {
    const { problems, ...report } = await slowFiles(data, url);
    findings.report('small files beside slow ones', report);
    findings.problems.push(...problems);
  });
}

async function stores(embeddings: EmbeddingEndpoint, { damaged, pages, killRounds: rounds, seed }: TortureOptions) {
  if (pages > 0) {
    const onPage = progress('damaged pages');
    const report = await damagedPages({ pages, megabytes: DAMAGED_MEGABYTES, seed, onPage });
    findings.report('damaged pages of one store', { ...report });
    findings.expect(report.served === 0, `${report.served} stores with a damaged page were served`);
  }
  if (damaged > 0) {
    const onStore = progress('damaged stores');
    findings.report('damaged stores', { ...(await damagedStores({ stores: damaged, seed, embeddings, onStore })) });
  }
  if (rounds > 0) {
    const onRound = progress('kill rounds');
    findings.report('kill rounds', { ...(await killRounds({ rounds, seed, embeddings, onRound })) });
  }
}

async function shares(embeddings: EmbeddingEndpoint, { requests }: TortureOptions): Promise<void> {
  await withServer({ ...embeddings.environment('north'), ...WITH_SHARES }, async ({ url }, data) => {
    const { heavy, light, problems } = await heavyCaller(data, url, { clients: HEAVY_CLIENTS, requests });
    findings.report('heavy caller', heavy);
    findings.report('another caller beside it', light);
    findings.problems.push(...problems);
  });
}

async function main(options: TortureOptions): Promise<void> {
  const embeddings = await startEmbeddingEndpoint();
  try {
    await stores(embeddings, options).catch((error: unknown) => findings.problems.push(String(error)));
    await withServer(embeddings.environment('north'), async (server) => {
      await hostile(server, options.maxDelay);
      await pumped(server, options);
      await randomRequests(server, options);
    });
    await containerRights(embeddings);
    if (options.connections > 0) await uploads(embeddings);
    if (options.requests > 0) await shares(embeddings, options);
  } finally {
    await embeddings.close();
  }
  if (options.seconds === 0) return;
  await manyClients(options);
}

/** With the local model: a query waits for it as it would in use. */
async function manyClients({ seconds, entities, pin }: TortureOptions): Promise<void> {
  const cores = pin ? twoCores() : null;
  findings.expect(!pin || cores !== null, '--pin needs two cores and taskset.');
  // What is started later stays there.
  cores?.pinTo(cores.others);
  await withServer({}, async ({ url, child }) => {
    cores?.pinTo(cores.own);
    await fill(url, entities);
    await untilEmbedded(url);
    const served = { pid: child.pid, maxHealthMs: MAX_HEALTH_MS };
    await load(url, { clients: 100, seconds: Math.min(seconds, WARM_UP_SECONDS), all: false, ...served }, findings);
    const few = await load(url, { clients: 200, seconds, all: true, ...served }, findings);
    const many = await load(url, { clients: 1000, seconds, all: false, ...served }, findings);
    const [p50, p95] = [many.p50 / few.p50, many.p95 / few.p95];
    const slowdown = { 'in server p50': p50.toFixed(2), 'in server p95': p95.toFixed(2) };
    findings.report('1000 clients / 200 clients', slowdown);
    findings.expect(
      Math.max(p50, p95) <= MAX_SLOWDOWN,
      `1000 clients: served later than 200, ${p50} at p50, ${p95} at p95`,
    );
  });
}

async function untilEmbedded(url: string): Promise<void> {
  for (;;) {
    const { index } = await answerOf<{ index: { missing_vectors: number } }>(url, 'GET', '/api/health');
    if (index.missing_vectors === 0) return;
    await wait(1000);
  }
}

const options = parseOptions(process.argv.slice(2));
if (options === 'help') console.log(USAGE);
else await main(options);
for (const problem of findings.problems) console.error(`problem: ${problem}`);
process.exitCode = findings.problems.length === 0 ? 0 : 1;
