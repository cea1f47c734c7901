import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureQdrant, startQdrant } from '../scripts/servers.mjs';
import { FIELDS, type Unit } from '../src/model/entity-parts/unit.ts';
import { unitsOf } from '../src/model/entity-types/table.ts';
import { Bitset } from '../src/search/filter/bitset.ts';
import { inverseFrequency, K1, TermFrequency } from '../src/search/keyword/bm25f.ts';
import { KeywordIndex } from '../src/search/keyword/keyword-index.ts';
import { emptyState } from '../src/search/keyword/keyword-state.ts';
import { PostingPool } from '../src/search/keyword/postings/posting-pool.ts';
import { ViewTerms } from '../src/search/keyword/terms/view-terms.ts';
import { type AnalyzedUnit, analyzeUnit } from '../src/search/text/analyzed-unit.ts';
import { Random } from './corpus/random.ts';
import { readCorpus, setFolders, spread } from './quality/set-folders.ts';

/**
 * Whether a server with sparse vectors can propose the units that BM25F finds: the top ten of a keyword search, and how many of
 * them are among the first K proposals, for views of 1% to 100% of the units. A view has its own statistics. Weights in the server are
 * those of all units; the query has the weights of the view; the proposals are scored here, exactly.
 *
 *   npx tsx bench/word-proposals.ts FOLDER-OF-SETS [units]
 *
 * Units are those of the sets. Further ones have some words replaced by words of other units.
 */
const SHARES = [1, 5, 20, 50, 100] as const;
const PROPOSALS = [100, 200, 400] as const;
const QUERIES = 200;
const LIMIT = 10;
const BATCH = 500;
const REPLACED = 0.25;

const [folder, size = '100000'] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the sets.');
const wanted = Number(size);
const say = (text: string) => process.stdout.write(`${text}\n`);

const sets = await setFolders(folder);
const real: Unit['fields'][] = [];
for (const set of sets)
  for (const entity of await readCorpus(set)) for (const { fields } of unitsOf(entity)) real.push(fields);
const words = spread(
  real.flatMap((fields) => (fields.description ?? '').split(/\s+/).filter(Boolean)),
  500_000,
);
say(`${real.length} units of ${sets.length} sets, ${wanted} in all`);

/** The same at each call. */
function fieldsOf(row: number): Unit['fields'] {
  const fields = real[row % real.length]!;
  if (row < real.length) return fields;
  const random = new Random(row);
  const changed = (text: string) =>
    text
      .split(' ')
      .map((word) => (random.unit() < REPLACED ? random.pick(words) : word))
      .join(' ');
  return Object.fromEntries(FIELDS.flatMap((name) => (fields[name] ? [[name, changed(fields[name]!)]] : [])));
}
const unitOf = (row: number): AnalyzedUnit => analyzeUnit(fieldsOf(row));
const placeOf = (row: number): number => new Random(row ^ 0x5bd1e995).between(0, 99);

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
/** CPU seconds and resident MB of the server's process. */
function usageOf(port: number): { cpu: number; mb: number } {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`QDRANT__SERVICE__HTTP_PORT=${port}\0`)) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
      return { cpu: (Number(stat[11]) + Number(stat[12])) / 100, mb: Number(rss) / 1024 };
    } catch {}
  }
  return { cpu: 0, mb: 0 };
}

const state = emptyState();
const index = new KeywordIndex(state);
const views = new Map(SHARES.map((share) => [share, new Bitset()]));
const started = cpuSeconds();
for (let row = 0; row < wanted; row++) {
  index.add(row, unitOf(row));
  const place = placeOf(row);
  for (const [share, rows] of views) if (place < share) rows.add(row);
}
say(`own index: ${(cpuSeconds() - started).toFixed(0)} s of CPU`);

const installed = ensureQdrant();
if ('missing' in installed) throw new Error(`No Qdrant: ${installed.missing}.`);
const qdrant = await startQdrant(installed);
let lastMs = 0;
const ask = async <T>(method: string, path: string, body: unknown): Promise<T> => {
  const response = await fetch(`${qdrant.url}/collections/words${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { result: T; status: unknown; time: number };
  if (!response.ok) throw new Error(JSON.stringify(answer.status));
  // By the clock of the server.
  lastMs = 1000 * answer.time;
  return answer.result;
};
try {
  await ask('PUT', '', {
    vectors: {},
    sparse_vectors: { words: { index: { datatype: 'float16' } } },
    on_disk_payload: true,
  });
  await ask('PUT', '/index', { field_name: 'place', field_schema: 'integer' });
  const tf = new TermFrequency(state.lengths);
  const pointOf = (row: number) => {
    const { terms, counts } = unitOf(row);
    const indices = terms.map((term) => state.terms.listOf(term)!);
    const values = terms.map((_, i) => {
      const weight = tf.of(row, counts[i]!);
      return weight / (K1 + weight);
    });
    return { id: row, vector: { words: { indices, values } }, payload: { place: placeOf(row) } };
  };
  const loading = performance.now();
  for (let from = 0; from < wanted; from += BATCH) {
    const points = Array.from({ length: Math.min(BATCH, wanted - from) }, (_, i) => pointOf(from + i));
    await ask('PUT', `/points?wait=${from + BATCH >= wanted}`, { points });
    if (from % 50_000 === 0) say(`${from} loaded`);
  }
  for (;;) {
    const { status } = await fetch(`${qdrant.url}/collections/words`).then(async (response) => {
      return ((await response.json()) as { result: { status: string } }).result;
    });
    if (status === 'green') break;
    await wait(500);
  }
  const loaded = usageOf(qdrant.port);
  say(
    `loaded: ${((performance.now() - loading) / 1000).toFixed(0)} s, Qdrant ${loaded.cpu.toFixed(0)} s of CPU, ${loaded.mb.toFixed(0)} MB`,
  );

  const questions: string[] = [];
  for (const { dir, split } of sets) {
    if (split === null) continue;
    for await (const line of createInterface({ input: createReadStream(join(dir, 'queries.jsonl')) })) {
      const { text, query } = JSON.parse(line) as { text?: string; query?: string };
      const asked = text ?? query ?? '';
      if (asked !== '' && asked.length <= 400) questions.push(asked);
    }
  }
  const queries = spread(questions, QUERIES);
  const compareRows = (a: number, b: number) => a - b;
  for (const share of SHARES) {
    const rows = views.get(share)!;
    const view = share === 100 ? index : index.within(rows);
    const count = share === 100 ? wanted : rows.countWith(state.rows);
    const terms =
      share === 100 ? state.terms : new ViewTerms(state.terms, state.pool, new PostingPool(new Uint32Array(0)), rows);
    const same = new Map<number, number>();
    const found = new Map<number, number>();
    let best = 0;
    let serverCpu = 0;
    let ownCpu = 0;
    const ms: number[] = [];
    for (const query of queries) {
      const before = cpuSeconds();
      const exact = view.search(query, { eligible: share === 100 ? null : rows, limit: LIMIT, compareRows });
      ownCpu += cpuSeconds() - before;
      best += exact.rows.length;
      const weights = new Map<number, number>();
      for (const { frequency, matches } of terms.expand(query)) {
        for (const { term, factor } of matches) {
          const weight =
            frequency *
            factor *
            inverseFrequency(
              count,
              terms instanceof ViewTerms ? terms.unitsWith(term) : state.pool.length(terms.listOf(term)!),
            );
          const list = state.terms.listOf(term)!;
          weights.set(list, (weights.get(list) ?? 0) + weight);
        }
      }
      const most = Math.max(...PROPOSALS);
      const cpu = usageOf(qdrant.port).cpu;
      const { points } =
        weights.size === 0
          ? { points: [] }
          : await ask<{ points: readonly { id: number }[] }>('POST', '/points/query', {
              query: { indices: [...weights.keys()], values: [...weights.values()] },
              using: 'words',
              limit: most,
              ...(share === 100 ? {} : { filter: { must: [{ key: 'place', range: { lt: share } }] } }),
            });
      ms.push(lastMs);
      serverCpu += usageOf(qdrant.port).cpu - cpu;
      for (const limit of PROPOSALS) {
        const proposed = points.slice(0, limit).map(({ id }) => id);
        const scores = view.scoreRows(query, proposed);
        const order = proposed
          .map((row, i) => ({ row, score: scores[i]! }))
          .sort((a, b) => b.score - a.score || a.row - b.row)
          .slice(0, LIMIT)
          .map(({ row }) => row);
        if (order.join() === exact.rows.join()) same.set(limit, (same.get(limit) ?? 0) + 1);
        found.set(limit, (found.get(limit) ?? 0) + exact.rows.filter((row) => proposed.includes(row)).length);
      }
    }
    ms.sort((a, b) => a - b);
    const columns = PROPOSALS.map((limit) => {
      return `K=${limit}: same top ten ${same.get(limit) ?? 0} of ${queries.length}, recall ${((found.get(limit) ?? 0) / best).toFixed(4)}`;
    });
    say(
      `${share}%: ${columns.join('; ')}; Qdrant ${((1000 * serverCpu) / queries.length).toFixed(1)} ms of CPU, p50 ${ms[ms.length >> 1]!.toFixed(1)} ms, p95 ${ms[Math.floor(ms.length * 0.95)]!.toFixed(1)} ms; own search ${((1000 * ownCpu) / queries.length).toFixed(1)} ms of CPU`,
    );
  }
  const before = usageOf(qdrant.port).cpu;
  for (let n = 0; n < 10; n++)
    await ask('PUT', '/points?wait=true', {
      points: Array.from({ length: 100 }, (_, i) => pointOf((n * 7919 + i * 31) % wanted)),
    });
  say(`1,000 points written again: ${((1000 * (usageOf(qdrant.port).cpu - before)) / 1000).toFixed(2)} ms of CPU each`);
} finally {
  await qdrant.remove();
}
process.exit(0);
