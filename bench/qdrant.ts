import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { ensureQdrant, startQdrant, type TestServer } from '../scripts/servers.mjs';
import { openEmbedded } from '../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../src/engines/engine.ts';
import { INDEX_DEFAULTS, QdrantVectors } from '../src/engines/qdrant/qdrant-vectors.ts';
import type { IndexedEntity } from '../src/engines/store.ts';
import { parseEntity } from '../src/model/entity.ts';
import { unitsOf } from '../src/model/entity-types/table.ts';
import type { Filter } from '../src/model/query/filter.ts';
import { Bitset } from '../src/search/filter/bitset.ts';
import { VectorIndex } from '../src/search/vector/vector-index.ts';
import { Random } from './corpus/random.ts';
import { DIMENSIONS, VectorSpace } from './corpus/vector-space.ts';

/**
 * Vectors in Qdrant: recall@10 against an exact search, and the time of the vector leg, for filters that let 1% to 100% of
 * the units through, with one clause and with three.
 *
 *   npx tsx bench/qdrant.ts [units,...] [int8] [hnsw] [pause]
 *
 * Of several sizes, each one is filled up from the one before. `hnsw`: never compare all units, however few pass the filter. `pause`: once
 * recall is known, wait for Enter before the times are measured. Press it when the machine is idle.
 */
const EMBEDDER = { id: `bench/clusters/${DIMENSIONS}`, dimensions: DIMENSIONS };
const SHARES = [1, 2, 5, 10, 20, 50, 100] as const;
const ACTIVE_SHARE = 0.7;
const QUERIES = 200;
const LIMIT = 10;
const BATCH = 200;
const UNITS_PER_TOPIC = 100;
const MAX_FAILURES = 300;

interface Facts {
  /** From 0 to 100. */
  readonly place: number;
  readonly isActive: boolean;
}

/** Vectors and facts of units, made one after the other, and the same in each run. */
class Catalog {
  readonly facts: Facts[] = [];
  readonly exact = new VectorIndex(DIMENSIONS);
  readonly #random = new Random(7);
  readonly #topics: number;
  readonly #space: VectorSpace;

  constructor(units: number) {
    this.#topics = Math.max(1, Math.floor(units / UNITS_PER_TOPIC));
    this.#space = new VectorSpace(this.#random, this.#topics);
  }

  next(): IndexedEntity {
    const n = this.facts.length;
    const vector = new Float32Array(DIMENSIONS);
    this.#space.member(this.#random, n % this.#topics, this.#space.owner(this.#random), vector);
    const facts = { place: this.#random.unit() * 100, isActive: this.#random.unit() < ACTIVE_SHARE };
    this.facts.push(facts);
    this.exact.set(n, vector);
    return entityFor(n, facts, vector);
  }

  /** About units all over the catalog. */
  queries(): readonly Float32Array[] {
    const random = new Random(11);
    const step = this.facts.length / QUERIES;
    return Array.from({ length: QUERIES }, (_, n) =>
      this.#space.question(random, this.exact.get(Math.floor(n * step))!),
    );
  }
}

const pathOf = (n: number): string => `/tool-${String(n).padStart(8, '0')}`;

function entityFor(n: number, { place, isActive }: Facts, vector: Float32Array): IndexedEntity {
  const tags = SHARES.filter((share) => place < share).map((share) => `p${share}`);
  const status = isActive ? 'active' : 'draft';
  const { entity } = parseEntity({
    type: 'tool',
    path: pathOf(n),
    name: `tool_${n}`,
    description: 'A tool',
    tags,
    status,
  });
  const units = unitsOf(entity).map((unit) => {
    return { ...unit, textHash: createHash('sha256').update(unit.embedText).digest('hex'), vector };
  });
  return { entity, units };
}

async function load({ store }: Engine, catalog: Catalog, units: number): Promise<void> {
  while (catalog.facts.length < units) {
    const batch: IndexedEntity[] = [];
    while (batch.length < BATCH && catalog.facts.length < units) batch.push(catalog.next());
    await store.put(batch);
    // Others get their turn, as between two requests.
    await setImmediate();
  }
}

/** Until Qdrant has every vector. A request may fail meanwhile: a machine that fills it is busy. */
async function settled(vectorServer: QdrantVectors): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  for (let failures = 0; ; failures++) {
    await vectorServer.settled();
    const { pending, error } = vectorServer.status();
    if (pending === 0 && error === null) return;
    if (pending < left) failures = 0;
    left = pending;
    if (failures > MAX_FAILURES) throw new Error(`Qdrant lacks ${pending} vectors: ${error?.message ?? ''}`);
    await wait(1000);
  }
}

/** Until the HNSW graphs are built. */
async function indexed({ url }: TestServer): Promise<void> {
  const read = async (path: string) =>
    ((await (await fetch(`${url}${path}`, { headers: { connection: 'close' } })).json()) as { result: never }).result;
  const { collections } = (await read('/collections')) as { collections: { name: string }[] };
  for (let calm = 0; calm < 3; ) {
    const { status } = (await read(`/collections/${collections[0]!.name}`)) as { status: string };
    calm = status === 'green' ? calm + 1 : 0;
    await wait(1000);
  }
}

interface Case {
  readonly share: number;
  readonly clauses: 1 | 3;
}

const CASES: readonly Case[] = SHARES.flatMap((share) => [
  { share, clauses: 1 },
  { share, clauses: 3 },
]);

const filterOf = ({ share, clauses }: Case): Filter =>
  clauses === 1 ? { tags: [`p${share}`] } : { tags: [`p${share}`], statuses: ['active'], types: ['tool'] };

const search = ({ index }: Engine, values: Float32Array, filter: Filter) =>
  index.retrieve({
    text: '',
    parts: [],
    filter,
    hashtags: [],
    anchors: [],
    keyword: { scorer: 'bm25f', limit: 0 },
    vector: { values, parts: [], limit: LIMIT, perType: false },
    crossScores: false,
    cards: false,
    results: 1,
    toolsAsResults: false,
  });

/** Recall does not depend on how busy the machine is: a search that took too long is asked again. */
async function searchAgain(engine: Engine, values: Float32Array, filter: Filter) {
  for (let failures = 1; ; failures++) {
    try {
      return await search(engine, values, filter);
    } catch (error) {
      if (failures > MAX_FAILURES) throw error;
      await wait(1000);
    }
  }
}

/** How many units pass the filter, and which share of the nearest ones is found. */
async function recallOf(engine: Engine, { facts, exact }: Catalog, queries: readonly Float32Array[], one: Case) {
  const eligible = Bitset.of(
    [...facts.keys()].filter((n) => facts[n]!.place < one.share && (one.clauses === 1 || facts[n]!.isActive)),
  );
  let found = 0;
  let wanted = 0;
  for (const values of queries) {
    const { rows } = exact.search(values, { eligible, limit: LIMIT, compareRows: (a, b) => a - b, exact: true });
    const { vector } = await searchAgain(engine, values, filterOf(one));
    const ids = new Set(vector!.map(({ entity }) => entity as string));
    for (const row of rows) if (ids.has(`tool:${pathOf(row)}`)) found++;
    wanted += rows.length;
    await setImmediate();
  }
  return { units: eligible.count(), recall: found / wanted };
}

async function timesOf(engine: Engine, queries: readonly Float32Array[], one: Case) {
  const times: number[] = [];
  for (const values of queries) {
    const start = performance.now();
    await search(engine, values, filterOf(one));
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor((times.length - 1) * part)]!;
  return { p50: at(0.5), p95: at(0.95) };
}

interface Run {
  readonly sizes: readonly number[];
  readonly isQuantized: boolean;
  readonly maxExact: number;
  readonly pauses: boolean;
}

async function main({ sizes, isQuantized, maxExact, pauses }: Run): Promise<void> {
  const installed = ensureQdrant();
  if ('missing' in installed) throw new Error(`No Qdrant: ${installed.missing}.`);
  // As many segments as Qdrant likes.
  const settings = {
    QDRANT__STORAGE__OPTIMIZERS__DEFAULT_SEGMENT_NUMBER: '0',
    QDRANT__STORAGE__WAL__WAL_CAPACITY_MB: '32',
  };
  const server = await startQdrant(installed, { settings });
  const home = mkdtempSync(join(tmpdir(), 'dowser-bench-qdrant-'));
  const vectorServer = new QdrantVectors({ address: `qdrant://127.0.0.1:${server.port}`, isQuantized, maxExact });
  try {
    const engine = await openEmbedded({ dir: home, embedder: EMBEDDER, vectorServer });
    const catalog = new Catalog(Math.max(...sizes));
    for (const units of sizes) {
      await fill(engine, vectorServer, catalog, units, server);
      await measure(engine, catalog, pauses);
    }
    await engine.close();
  } finally {
    await server.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

async function fill(engine: Engine, vectors: QdrantVectors, catalog: Catalog, units: number, server: TestServer) {
  const start = performance.now();
  const say = (what: string) =>
    process.stdout.write(`${what} after ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  process.stdout.write(`\n${units} units of ${DIMENSIONS} numbers\n`);
  // Qdrant gets all of it at once, as after it was set up for a store that exists.
  await server.kill();
  await load(engine, catalog, units);
  say('stored');
  await server.start();
  await settled(vectors);
  say('in Qdrant');
  await indexed(server);
  say('indexed');
}

async function measure(engine: Engine, catalog: Catalog, pauses: boolean): Promise<void> {
  const queries = catalog.queries();
  const found = [];
  for (const one of CASES) {
    const { units, recall } = await recallOf(engine, catalog, queries, one);
    found.push({ one, units, recall: recall.toFixed(4) });
    process.stdout.write(`${one.share}%, clauses: ${one.clauses}, recall@10: ${recall.toFixed(4)}\n`);
  }
  if (pauses) {
    process.stdout.write('Press Enter to measure the times.\n');
    await once(process.stdin, 'data');
  }
  process.stdout.write('\n| filter | clauses | units | recall@10 | p50 ms | p95 ms |\n|---|---|---|---|---|---|\n');
  for (const { one, units, recall } of found) {
    const { p50, p95 } = await timesOf(engine, queries, one);
    const cells = [`${one.share}%`, one.clauses, units, recall, p50.toFixed(1), p95.toFixed(1)];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

const [sizes = '20000', ...words] = process.argv.slice(2);
await main({
  sizes: sizes.split(',').map(Number),
  isQuantized: words.includes('int8'),
  maxExact: words.includes('hnsw') ? 0 : INDEX_DEFAULTS.maxExact,
  pauses: words.includes('pause'),
});
process.exit(0);
