import { afterEach, expect, it } from 'vitest';
import { openEmbedded } from '../../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../../src/engines/memory/memory-engine.ts';
import { STRANGER } from '../../../src/model/caller/caller.ts';
import { temporaryFolder } from '../../support/engine-fixtures.ts';
import { registryOver } from '../../support/registry-over.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';
import { checkNonInterference } from './check.ts';
import { observed } from './observed.ts';

let cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  cleanUps = [];
});

const PLACES = ['Oslo', 'Rome', 'Lima', 'Kyoto', 'Cairo'];
const PUBLIC = PLACES.map((place) => ({
  type: 'mcp_server',
  path: `/weather-${place}`,
  name: `Weather ${place}`,
  description: `The weather in ${place}, and the wind`,
}));
const HIDDEN = Array.from({ length: 40 }, (_, n) => ({
  type: 'mcp_server',
  path: `/deal-${n}`,
  name: `Deal ${n}`,
  description: 'Weather the merger',
  tags: ['merger'],
  visibility: 'private',
  owner: 'ada',
}));

async function asked(engine: 'memory' | 'embedded', entities: readonly object[]): Promise<readonly string[]> {
  const embedder = new WordEmbedder();
  const folder = temporaryFolder();
  cleanUps.push(folder.remove);
  const { id, dimensions } = embedder;
  const opened =
    engine === 'memory'
      ? new MemoryEngine({ embedder, now: () => new Date(0) })
      : await openEmbedded({ dir: folder.path, embedder: { id, dimensions }, now: () => new Date(0) });
  const registry = registryOver(opened, embedder);
  cleanUps.push(() => registry.close());
  await registry.putMany(entities);
  const stranger = registry.as(STRANGER);
  const queries = ['#merger weather', 'weather', 'merger', 'mergr', 'weather in Oslo', 'deal'];
  return Promise.all(queries.map((query) => observed(() => stranger.search({ query, explain: true }))));
}

it.each(['embedded', 'memory'] as const)('40 private servers change no answer of the %s engine', async (engine) => {
  const expected = await asked(engine, PUBLIC);
  expect(JSON.parse(expected[0]!).answer.results).toHaveLength(5);
  expect(await asked(engine, [...HIDDEN.slice(20), ...PUBLIC, ...HIDDEN.slice(0, 20)])).toEqual(expected);
});

// `npm run noninterference` makes 100,000.
it('two registries that differ only in what a caller may not read give it the same answers', async () => {
  expect(await checkNonInterference({ worlds: 25, operations: 100, seed: 17 })).toBe(2500);
}, 600_000);
