import { afterEach, expect, it } from 'vitest';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import { wordsRegistry } from '../../../test/support/words-registry.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import type { TimedSearch } from '../contract/search-steps.ts';

let registry: LocalRegistry | undefined;
afterEach(() => registry?.close());

const TASK = 'Read the weather forecast for tomorrow. Book a quiet table near the harbor. Send the bill to accounting.';
const server = (path: string, description: string) => ({ type: 'mcp_server', path, name: path.slice(1), description });

it('finds what answers one part of a long query', async () => {
  registry = await wordsRegistry(
    [
      server('/tables', 'Books a quiet table near the harbor'),
      ...Array.from({ length: 10 }, (_, i) =>
        server(`/noise-${i}`, `Reads the forecast of bill ${i} to accounting tomorrow`),
      ),
    ],
    new WordEmbedder(),
  );
  const { results } = await registry.search({ query: TASK });
  expect(results[0]?.path).toBe('/tables');
});

it('shows the cosine with the whole query, also where parts of it count in the score', async () => {
  registry = await wordsRegistry([server('/same', TASK), server('/other', 'Paints walls')], new WordEmbedder());
  const cosineOf = async (query: string) => {
    const { results } = await registry!.search({ query, weights: { keyword: 0, vector: 1 } });
    return results.find(({ path }) => path === '/same')?.similarity_score;
  };
  // Without the ends of its sentences the same query has no parts.
  expect(await cosineOf(TASK)).toBeCloseTo((await cosineOf(TASK.replaceAll('.', '')))!, 9);
});

it('is surer without a model if the words stand in the order of the query', async () => {
  const noise = Array.from({ length: 30 }, (_, i) => server(`/noise-${i}`, `Paints wall ${i}`));
  const confidences = async (description: string) => {
    const embedder = new WordEmbedder();
    registry = await wordsRegistry([server('/one', description), ...noise], embedder);
    const ask = async (preset: string) => {
      const { results } = await registry!.search({ query: 'quiet table harbor', preset, min_confidence: 0 });
      return results.find(({ path }) => path === '/one')!.confidence;
    };
    const [online, keyword] = [await ask('hybrid'), await ask('keyword')];
    embedder.fail();
    const offline = await ask('hybrid');
    await registry.close();
    return { online, keyword, offline };
  };
  const inOrder = await confidences('A quiet table, harbor view');
  const apart = await confidences('A harbor table, quiet view');
  expect(inOrder.offline).toBeGreaterThan(apart.offline + 0.05);
  expect(inOrder.keyword).toBeGreaterThan(apart.keyword + 0.05);
  expect(inOrder.online).toBe(apart.online);
});

it('tells a watcher the stages of each search, without a gap, until it stops watching', async () => {
  registry = await wordsRegistry([server('/tables', 'Books a quiet table')], new WordEmbedder());
  const seen: TimedSearch[] = [];
  const stop = registry.watchSearches((timed) => seen.push(timed));
  await registry.as({ readers: ['public'] }).search({ query: 'quiet table' });
  await registry.search({ query: 'quiet #unknown', preset: 'keyword' });
  stop();
  await registry.search({ query: 'quiet table' });
  expect(seen.map(({ preset, mode }) => [preset, mode])).toEqual([
    ['hybrid', 'hybrid'],
    ['keyword', 'lexical-only'],
  ]);
  expect(seen.map(({ text, size, outcome }) => [text, size, outcome])).toEqual([
    ['quiet table', 10, 'found'],
    ['quiet #unknown', 10, 'found'],
  ]);
  const stages = seen.map(({ steps }) => steps.map(({ stage }) => stage));
  expect(stages[0]).toEqual(['plan', 'embed', 'retrieve', 'graph', 'rank', 'answer']);
  // An unknown hashtag is text: it is retrieved again.
  expect(stages[1]!.filter((stage) => stage === 'retrieve')).toHaveLength(2);
  for (const { steps } of seen) {
    for (const [i, { from, until }] of steps.entries()) {
      expect(until).toBeGreaterThanOrEqual(from);
      if (i > 0) expect(from).toBe(steps[i - 1]!.until);
    }
  }
});

it('answers with a warning if the model cannot compare the tools of a server without its name', async () => {
  const embedder = new WordEmbedder();
  const tools = ['route', 'gear'].map((name) => ({ name, description: `Exports the ${name}` }));
  registry = await wordsRegistry([{ ...server('/strava', 'Rides'), tools }], embedder);
  const ask = () => registry!.search({ query: 'strava route' });
  expect((await ask()).warnings).toEqual([]);
  expect(embedder.embedded).toContain('route');
  const embed = embedder.embed.bind(embedder);
  embedder.embed = async (texts, options) => {
    if (texts.includes('route')) embedder.fail();
    return embed(texts, options);
  };
  const { results, warnings } = await ask();
  expect(results[0]?.path).toBe('/strava');
  expect(warnings).toEqual([expect.stringContaining('compared less exactly')]);
});
