import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSettings } from '../src/config.ts';
import { startServer } from '../src/http/server.ts';
import { type EntityType, idOf } from '../src/model/entity.ts';
import { openRegistry } from '../src/open.ts';
import type { LocalRegistry } from '../src/registry/contract/registry.ts';

/**
 * What a search with a peer costs, and what confidence a peer's result gets:
 *
 *   npx tsx bench/peer-search.ts
 *
 * The example catalog is dealt out: half to a registry here, half to another Dowser on loopback. A third registry has all of it. The
 * confidence of a result that came from the peer is compared with its confidence in the third.
 */
const CATALOG = fileURLToPath(new URL('../examples/catalog', import.meta.url));
const ROUNDS = 5;
const QUESTIONS = [
  ...['read a web page', 'send an email', 'query a postgres database', 'create an issue on github', 'weather forecast'],
  ...['book a flight', 'search the documentation of a library', 'draw a diagram', 'transcribe audio', 'pdf to text'],
  ...['translate a text', 'run a test in a browser', 'store a file in the cloud', 'plan a meeting', 'find a paper'],
  ...['monitor a server', 'convert an image', 'scan a contract', 'pay an invoice', 'look up a stock price'],
];

interface Sample {
  readonly type: EntityType;
  readonly path: string;
}

const files = readdirSync(CATALOG).filter((file) => file.endsWith('.jsonl'));
const entities = files
  .flatMap((file) => readFileSync(join(CATALOG, file), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as Sample)
  .filter(({ type }) => type !== 'memory' && type !== 'document');

const folders: string[] = [];

async function registryOf(some: readonly Sample[], settings: object = {}): Promise<LocalRegistry> {
  const data_dir = mkdtempSync(join(tmpdir(), 'dowser-peers-'));
  folders.push(data_dir);
  const registry = await openRegistry({ data_dir, ...settings });
  for (let at = 0; at < some.length; at += 500) await registry.putMany(some.slice(at, at + 500), { vectors: 'later' });
  await registry.embedPending();
  return registry;
}

const middle = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;

const whole = await registryOf(entities);
const other = await registryOf(entities.filter((_, at) => at % 2 === 1));
const settings = parseSettings({ engine: 'memory', port: 0, tool_discovery: false });
const logger = { info() {}, warn() {}, error() {} };
const server = await startServer({ registry: other, version: '0', logger, settings });
const peers = [{ name: 'other', url: server.url, kind: 'dowser' }];
const here = await registryOf(
  entities.filter((_, at) => at % 2 === 0),
  { peers, peer_timeout_ms: 5000 },
);

const times = { alone: [] as number[], together: [] as number[] };
const differences: number[] = [];
let [first, late] = [0, 0];
for (let round = 0; round < ROUNDS; round++) {
  for (const query of QUESTIONS) {
    for (const [name, asks] of [
      ['alone', false],
      ['together', true],
    ] as const) {
      const started = performance.now();
      const answer = await here.search({ query, peers: asks });
      times[name].push(performance.now() - started);
      if (!asks || round > 0) continue;
      late += answer.peers!.filter(({ state }) => state !== 'answered').length;
      const all = (await whole.search({ query })).results;
      const best = all[0];
      const top = answer.results[0];
      if (best !== undefined && top !== undefined && top.path.replace(/^peer:\w+/, '') === best.path) first++;
      const confidences = new Map(all.map((one) => [idOf({ type: one.entity_type, path: one.path }), one.confidence]));
      for (const { origin, entity_type: type, path, confidence } of answer.results) {
        const known = confidences.get(idOf({ type, path: path.replace(/^peer:\w+/, '') }));
        if (origin !== undefined && known !== undefined) differences.push(confidence - known);
      }
    }
  }
}
const ms = (values: readonly number[]) =>
  `p50 ${middle(values, 0.5).toFixed(1)} ms, p95 ${middle(values, 0.95).toFixed(1)} ms`;
const size = differences.map(Math.abs);
console.log(`entities: ${entities.length}, questions: ${QUESTIONS.length}, peers not answering: ${late}`);
console.log(`a search alone:       ${ms(times.alone)}`);
console.log(`a search with a peer: ${ms(times.together)} (from the second round on, texts are in the cache)`);
console.log(`first result as if all were in one registry: ${first} of ${QUESTIONS.length}`);
console.log(
  `confidence of a peer's result against one registry, ${size.length} results: mean ${(differences.reduce((a, b) => a + b, 0) / size.length).toFixed(3)}, median size ${middle(size, 0.5).toFixed(3)}, p90 ${middle(size, 0.9).toFixed(3)}`,
);
await here.close();
await server.close();
await whole.close();
for (const folder of folders) rmSync(folder, { recursive: true });
