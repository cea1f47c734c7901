import { createHash } from 'node:crypto';
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
import type { Filter } from '../src/model/filter.ts';
import { Bitset } from '../src/search/filter/bitset.ts';
import { VectorIndex } from '../src/search/vector/vector-index.ts';
import { Random } from './corpus/random.ts';
import { DIMENSIONS, VectorSpace } from './corpus/vector-space.ts';

/**
 * Vectors in Qdrant: recall@10 against an exact search, and the time of the vector leg, for filters that let 1% to 100% of
 * the units through, with one clause and with three.
 *
 *   npx tsx bench/qdrant.ts [units] [int8] [hnsw]
 *
 * `hnsw`: never compare all units, however few pass the filter.
 */
const EMBEDDER = { id: `bench/clusters/${DIMENSIONS}`, dimensions: DIMENSIONS };
const SHARES = [1, 2, 5, 10, 20, 50, 100] as const;
const ACTIVE_SHARE = 0.7;
const QUERIES = 200;
const LIMIT = 10;
const BATCH = 200;
const UNITS_PER_TOPIC = 100;

interface Facts {
  /** From 0 to 100. */
  readonly place: number;
  readonly isActive: boolean;
}

interface Catalog {
  readonly facts: readonly Facts[];
  readonly exact: VectorIndex;
  readonly queries: readonly Float32Array[];
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

async function load({ store }: Engine, units: number): Promise<Catalog> {
  const random = new Random(7);
  const topics = Math.max(1, Math.floor(units / UNITS_PER_TOPIC));
  const space = new VectorSpace(random, topics);
  const exact = new VectorIndex(DIMENSIONS);
  const facts: Facts[] = [];
  const queries: Float32Array[] = [];
  const step = Math.max(1, Math.floor(units / QUERIES));
  for (let from = 0; from < units; from += BATCH) {
    const batch: IndexedEntity[] = [];
    for (let n = from; n < Math.min(units, from + BATCH); n++) {
      const vector = new Float32Array(DIMENSIONS);
      space.member(random, n % topics, space.owner(random), vector);
      facts.push({ place: random.unit() * 100, isActive: random.unit() < ACTIVE_SHARE });
      exact.set(n, vector);
      if (n % step === 0 && queries.length < QUERIES) queries.push(space.question(random, vector));
      batch.push(entityFor(n, facts[n]!, vector));
    }
    await store.put(batch);
    // Others get their turn, as between two requests.
    await setImmediate();
  }
  return { facts, exact, queries };
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

async function measure(engine: Engine, { facts, exact, queries }: Catalog, share: number, clauses: 1 | 3) {
  const tags = [`p${share}`];
  const filter: Filter = clauses === 1 ? { tags } : { tags, statuses: ['active'], types: ['tool'] };
  const eligible = Bitset.of(
    [...facts.keys()].filter((n) => facts[n]!.place < share && (clauses === 1 || facts[n]!.isActive)),
  );
  let found = 0;
  let wanted = 0;
  const times: number[] = [];
  for (const values of queries) {
    const { rows } = exact.search(values, { eligible, limit: LIMIT, compareRows: (a, b) => a - b, exact: true });
    const start = performance.now();
    const { vector } = await engine.index.retrieve({
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
    times.push(performance.now() - start);
    const ids = new Set(vector!.map(({ entity }) => entity as string));
    for (const row of rows) if (ids.has(`tool:${pathOf(row)}`)) found++;
    wanted += rows.length;
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor((times.length - 1) * part)]!.toFixed(1);
  const cells = [`${share}%`, clauses, eligible.count(), (found / wanted).toFixed(4), at(0.5), at(0.95)];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

async function main(units: number, isQuantized: boolean, maxExact: number): Promise<void> {
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
    const start = performance.now();
    const seconds = () => ((performance.now() - start) / 1000).toFixed(0);
    const catalog = await load(engine, units);
    process.stdout.write(
      `${units} units of ${DIMENSIONS} numbers${isQuantized ? ', int8' : ''}: stored in ${seconds()} s, `,
    );
    await vectorServer.settled();
    const { pending, error } = vectorServer.status();
    if (pending > 0) throw new Error(`Qdrant lacks ${pending} vectors: ${error?.message ?? ''}`);
    process.stdout.write(`in Qdrant after ${seconds()} s, `);
    await indexed(server);
    process.stdout.write(`indexed after ${seconds()} s\n\n`);
    process.stdout.write('| filter | clauses | units | recall@10 | p50 ms | p95 ms |\n|---|---|---|---|---|---|\n');
    for (const share of SHARES) {
      await measure(engine, catalog, share, 1);
      await measure(engine, catalog, share, 3);
    }
    await engine.close();
  } finally {
    await server.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const [units = '20000', ...kinds] = process.argv.slice(2);
await main(Number(units), kinds.includes('int8'), kinds.includes('hnsw') ? 0 : INDEX_DEFAULTS.maxExact);
process.exit(0);
