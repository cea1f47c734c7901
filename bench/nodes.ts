import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensurePostgres, startPostgres } from '../scripts/servers.mjs';
import { openEmbedded } from '../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../src/engines/engine.ts';
import { openReplica } from '../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../src/engines/shared/postgres/postgres-record.ts';
import type { IndexedEntity } from '../src/engines/store.ts';
import { parseEntity } from '../src/model/entity.ts';
import { unitsOf } from '../src/model/entity-types/table.ts';
import type { RetrieveQuery } from '../src/search/retrieval/retrieval.ts';
import { ask } from '../test/support/postgres.ts';
import { atCore, twoCores } from './cores.ts';
import { watchPauses } from './pauses.ts';

/**
 * Nodes that share a record: how soon a write is on another node, how long a node that follows a bulk load keeps searches
 * waiting, how long it takes to start, and what a search costs. A node has a machine of its own, so the one that follows has a
 * core of its own here, if there are two.
 *
 *   npx tsx bench/nodes.ts [entities]
 */
const EMBEDDER = { id: 'bench/random/384', dimensions: 384 };
const WRITES = 200;
const KEYS = 50;
const SEARCHES = 500;
const BATCH = 200;
const WORDS = 'mail flight calendar invoice weather map queue table photo song report ticket order parcel note'.split(
  ' ',
);
const word = (n: number) => WORDS[n % WORDS.length]!;

function vectorFor(text: string): Float32Array {
  const seed = createHash('sha512').update(text).digest();
  return Float32Array.from({ length: EMBEDDER.dimensions }, (_, i) => seed[i % 64]! / 128 - 1 + i / 1000);
}

function entityFor(n: number): IndexedEntity {
  const description = `Handles ${word(n)} and ${word(n >> 4)} for ${word(n >> 8)} number ${n % 997}`;
  const { entity } = parseEntity({ type: 'tool', path: `/tool-${n}`, name: `${word(n)}_${n}`, description });
  const units = unitsOf(entity).map((unit) => {
    const textHash = createHash('sha256').update(unit.embedText).digest('hex');
    return { ...unit, textHash, vector: vectorFor(unit.embedText) };
  });
  return { entity, units };
}

async function load({ store }: Engine, entities: number): Promise<void> {
  for (let from = 0; from < entities; from += BATCH) {
    await store.put(Array.from({ length: Math.min(BATCH, entities - from) }, (_, i) => entityFor(from + i)));
  }
}

function queryFor(n: number): RetrieveQuery {
  const text = `${word(n)} ${word(n >> 3)}`;
  return {
    text,
    parts: [],
    filter: {},
    hashtags: [],
    anchors: [],
    keyword: { scorer: 'bm25f', limit: 50 },
    vector: { values: vectorFor(text), parts: [], limit: 50, perType: false },
    crossScores: true,
    cards: true,
    results: 10,
    toolsAsResults: true,
  };
}

const timed = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
const at = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
const say = (what: string, ms: number) => process.stdout.write(`${what.padEnd(62)} ${ms.toFixed(1)}\n`);

/** As `dowser key create` makes them, until each node accepts them. */
async function timesOfKeys(url: string, nodes: readonly Engine[]): Promise<readonly number[]> {
  const record = new PostgresRecord(url);
  await record.open();
  const times: number[] = [];
  for (let n = 0; n < KEYS; n++) {
    const hash = createHash('sha256').update(`key ${n}`).digest('hex');
    const dates = { created_at: new Date().toISOString(), expires_at: null, revoked_at: null };
    const key = { hash, id: `${n}`, name: `key-${n}`, groups: [], scopes: ['read'] as const, servers: null, ...dates };
    await record.inTurn((turn) => turn.write({ keys: [key] }));
    const has = ({ replica }: Engine) => replica!.keys()?.some((known) => known.hash === hash) === true;
    times.push(
      await timed(async () => {
        while (!nodes.every(has)) await wait(1);
      }),
    );
  }
  await record.close();
  return times;
}

async function measure(entities: number): Promise<void> {
  const installed = ensurePostgres();
  if ('missing' in installed) throw new Error(`No PostgreSQL: ${installed.missing}.`);
  const cores = twoCores();
  // What a process starts runs on its cores.
  cores?.pinTo(cores.others);
  const server = await startPostgres(installed);
  cores?.pinTo(cores.all);
  const home = mkdtempSync(join(tmpdir(), 'dowser-bench-nodes-'));
  const open = (name: string) =>
    openReplica({ dir: join(home, name), embedder: EMBEDDER, record: new PostgresRecord(server.url) });
  try {
    const a = await open('a');
    const b = await open('b');
    const [writes, seen]: [number[], number[]] = [[], []];
    for (let n = 0; n < WRITES; n++) {
      writes.push(await timed(() => a.store.put([entityFor(entities + n)])));
      seen.push(await timed(() => b.replica.reached({ epoch: null, seq: a.replica.status().revision }, 10_000)));
    }
    say('one write, p50 (ms)', at(writes, 0.5));
    say('on another node after the answer, p50 (ms)', at(seen, 0.5));
    say('on another node after the answer, p95 (ms)', at(seen, 0.95));
    const made = await timesOfKeys(server.url, [a, b]);
    say('a new key on both nodes after it was made, p50 (ms)', at(made, 0.5));
    say('a new key on both nodes after it was made, longest (ms)', at(made, 1));
    await a.close();

    const place = cores === null ? 'shares the cores of the loading process and PostgreSQL' : 'has a core of its own';
    process.stdout.write(`The event loop of the node that follows ${place}.\n`);
    cores?.pinEventLoop();
    const script = [fileURLToPath(import.meta.url), 'load', server.url, join(home, 'a'), `${entities}`];
    const [command, ...args] = atCore(cores?.others, [process.execPath, '--import', 'tsx', ...script]);
    const loader = spawn(command!, args, { stdio: 'inherit' });
    // To start a process takes a pause of its own.
    await once(loader, 'spawn');
    const stopWatching = watchPauses();
    const loading = await timed(() => once(loader, 'close'));
    const { seq } = await new PostgresRecord(server.url).head();
    const catching = await timed(() => b.replica.reached({ epoch: null, seq }, 600_000));
    const { pauses, collections } = await stopWatching();
    cores?.pinTo(cores.all);
    say(`another process loads ${entities} entities (ms)`, loading);
    say('this node has them after (ms)', catching);
    const [size] = await ask(server.url, 'SELECT pg_database_size(current_database()) AS bytes');
    say('the database then (MB)', Number(size!.bytes) / 1e6);
    const longest = pauses.reduce((one, other) => (other.ms > one.ms ? other : one));
    const times = pauses.map(({ ms }) => ms);
    say('pauses of its event loop meanwhile, p99.9 (ms)', at(times, 0.999));
    say('pauses of its event loop meanwhile, longest (ms)', longest.ms);
    say('of which it computed (ms)', longest.cpuMs);
    say('of which it waited for a core (ms)', longest.waitMs);
    say(
      'longest without such waits (ms)',
      pauses.reduce((most, { ms, waitMs }) => Math.max(most, ms - waitMs), 0),
    );
    say(
      'most CPU of a pause (ms)',
      pauses.reduce((most, { cpuMs }) => Math.max(most, cpuMs), 0),
    );
    say('longest garbage collection meanwhile (ms)', Math.max(0, ...collections));

    for (const what of ['with a new folder', 'with its folder']) {
      let started: Engine | null = null;
      const starting = await timed(async () => {
        started = await open('new');
      });
      say(`start of a node ${what} (ms)`, starting);
      say('and its stop (ms)', await timed(() => started!.close()));
    }

    const alone = await openEmbedded({ dir: join(home, 'alone'), embedder: EMBEDDER });
    await load(alone, entities + WRITES);
    const cpu = { replica: 0, embedded: 0 };
    for (let n = 0; n < SEARCHES; n++) {
      for (const [name, engine] of [
        ['replica', b],
        ['embedded', alone],
      ] as const) {
        const before = process.cpuUsage();
        await engine.index.retrieve(queryFor(n));
        const { user, system } = process.cpuUsage(before);
        if (n > SEARCHES / 5) cpu[name] += user + system;
      }
    }
    say('CPU of a search: replica / embedded', cpu.replica / cpu.embedded);
    await alone.close();
    await b.close();
  } finally {
    await server.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const [first = '5000', url = '', dir = '', entities = ''] = process.argv.slice(2);
if (first === 'load') {
  const node = await openReplica({ dir, embedder: EMBEDDER, record: new PostgresRecord(url) });
  await load(node, Number(entities));
  await node.close();
} else {
  await measure(Number(first));
  process.exit(0);
}
