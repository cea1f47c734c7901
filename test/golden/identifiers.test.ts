import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SearchRequestInput } from '../../src/model/query/query.ts';
import { nodeOf } from '../support/explanation-node.ts';
import { type GoldenRegistry, goldenRegistry } from '../support/golden-registry.ts';
import { LIBRARY } from './identifier-fixtures.ts';

/** With the real model and the default engine: what ADR-003 wants, and what it left open. */
let golden: GoldenRegistry;
beforeAll(async () => {
  golden = await goldenRegistry(LIBRARY);
});
afterAll(() => golden.close());
beforeEach(() => {
  golden.embedder.questions.length = 0;
});

const ask = (query: string, more: SearchRequestInput = {}) => golden.registry.search({ query, ...more });
const paths = async (query: string, more: SearchRequestInput = {}) =>
  (await ask(query, more)).results.map(({ path }) => path);

describe.each(['linear', 'adaptive', 'anchored', 'hybrid'])("ADR-003's own table, preset %s", (preset) => {
  it.each([
    ['D40', 'rooms/D40'],
    ['Tell me about D40', 'rooms/D40'],
    ['What are the safety requirements?', 'safety/work'],
    ['Aboleth', 'creatures/aboleth'],
    ['30 CFR 75.1725', 'rules/75.1725'],
  ])('%s has %s for its top result', async (query, expected) => {
    expect((await paths(query, { preset }))[0]).toBe(expected);
  });
});

describe('ADR-003 to the letter', () => {
  it('gives the holder of D40 a keyword score of 1', async () => {
    const [first] = (await ask('D40', { preset: 'linear', explain: true })).results;
    expect(nodeOf(first?.explanation, 'keyword')?.detail).toMatchObject({ score: 1, weight: 0.3 });
  });

  it('adds 0.7 of the cosine and 0.3 of the keyword score', async () => {
    const { results } = await ask('What is in room D40?', { preset: 'linear', explain: true });
    for (const { relevance_score, similarity_score, explanation } of results) {
      const keyword = Number(nodeOf(explanation, 'keyword')?.detail?.score ?? 0);
      expect(relevance_score).toBeCloseTo(0.7 * Math.max(0, similarity_score ?? 0) + 0.3 * keyword, 3);
    }
  });

  it('weighs by specificity in `adaptive`, where a question mark hides the identifier', async () => {
    const weightOf = async (query: string) => {
      const [first] = (await ask(query, { preset: 'adaptive', explain: true })).results;
      return nodeOf(first?.explanation, 'keyword')?.detail?.weight;
    };
    expect(await weightOf('tell me about D40')).toBe(0.7);
    expect(await weightOf('room D40')).toBe(0.5);
    expect(await weightOf('What is in room D40?')).toBe(0.3);
  });

  it('multiplies by 1.5 for an anchor in `anchored`', async () => {
    const scores = async (preset: string) =>
      new Map((await ask('d40', { preset })).results.map(({ path, relevance_score }) => [path, relevance_score]));
    const [plain, anchored] = [await scores('linear'), await scores('anchored')];
    expect(anchored.get('rooms/D40')! / plain.get('rooms/D40')!).toBeCloseTo(1.5, 3);
    expect(anchored.get('rooms/D41')).toBe(plain.get('rooms/D41'));
  });

  it('finds a phrase by its words only, so that another order may win; an anchor repairs that', async () => {
    expect((await paths('"quiet harbour lamp"', { preset: 'linear' }))[0]).toBe('songs/quiet');
    expect((await paths('"quiet harbour lamp"', { preset: 'anchored' }))[0]).toBe('songs/lamp');
  });
});

describe('the default ranking', () => {
  it.each([
    ['D40', 'rooms/D40'],
    ['d40', 'rooms/D40'],
    ['"D40"', 'rooms/D40'],
    ['Tell me about D40', 'rooms/D40'],
    ['75.1725', 'rules/75.1725'],
    ['PII-2024-0042', 'cases/PII-2024-0042'],
    ['pii-2024-0042?', 'cases/PII-2024-0042'],
    ['Aboleth', 'creatures/aboleth'],
    ['what is an aboleth?', 'creatures/aboleth'],
    ['VELMORRA', 'places/velmorra'],
    ['C++', 'code/cpp'],
    ['c#', 'code/csharp'],
    ['"quiet harbour lamp"', 'songs/lamp'],
  ])('puts the holder of %s first: nothing else was asked', async (query, expected) => {
    const answer = await ask(query);
    expect([answer.query_class, answer.results[0]?.path]).toEqual(['identifier', expected]);
  });

  it.each([
    ['What is in room D40?', 'rooms/D40'],
    ['which lever opens the gate of d40', 'rooms/D40'],
    ['30 CFR 75.1725', 'rules/75.1725'],
    ['Explain regulation 77.1607', 'rules/77.1607'],
    ['fire extinguishers and helmets for staff, see 77.1607', 'rules/77.1607'],
    ['a lost computer with patient data, PII-2024-0041', 'cases/PII-2024-0041'],
    ['why do c++ programs leak memory', 'code/cpp'],
    ['a song with "harbour lamp" in it', 'songs/lamp'],
  ])('has the holder among the first three for %s, and what else was meant beside it', async (query, expected) => {
    const answer = await ask(query);
    expect(answer.query_class).toBe('mixed');
    expect(answer.results.slice(0, 3).map(({ path }) => path)).toContain(expected);
  });

  it.each([
    ['What are the safety requirements?', 'safety/work'],
    ['Tell me about fire hazards', 'safety/fire'],
    ['monster that drags boats under', 'creatures/squid'],
    ['a computer with medical files went missing', 'cases/PII-2024-0042'],
    ['where do the horses sleep', 'rooms/D45'],
  ])('finds by meaning what names nothing: %s', async (query, expected) => {
    const answer = await ask(query);
    expect([answer.query_class, answer.results[0]?.path]).toEqual(['conceptual', expected]);
  });

  it('takes a code that nobody holds for what its neighbors are, and says that it is not sure', async () => {
    const [known, unknown] = [await ask('D40'), await ask('Q77')];
    expect(unknown.query_class).toBe('conceptual');
    const best = Math.max(0, ...[...unknown.results, ...(unknown.nearest ?? [])].map(({ confidence }) => confidence));
    expect(best).toBeLessThan(known.results[0]!.confidence);
  });
});

describe('the model', () => {
  it.each(['D40', 'd40', 'PII-2024-0042', '75.1725', 'D41 D42'])('is not asked about %s', async (query) => {
    expect(await ask(query)).toMatchObject({ search_mode: 'hybrid', warnings: [], no_match: false });
    expect(golden.embedder.questions).toEqual([]);
  });

  it.each(['room D40', 'Aboleth', 'C++', 'D40 Q77', 'Q77'])('is asked about %s', async (query) => {
    await ask(query);
    expect(golden.embedder.questions).toEqual([query]);
  });

  it('is left out by `anchored` for one capital and digits only', async () => {
    for (const query of ['D40', 'd40', 'PII-2024-0042']) await ask(query, { preset: 'anchored' });
    expect(golden.embedder.questions).toEqual(['d40', 'PII-2024-0042']);
  });
});

describe('the weights of a request', () => {
  const QUERY = 'What is in room D40?';

  it('of 0 for the vector leg ask no model, and leave the score to the keywords', async () => {
    for (const preset of ['hybrid', 'linear', 'memory', 'rrf']) {
      const { results } = await ask(QUERY, { preset, weights: { keyword: 1, vector: 0 }, explain: true });
      expect([preset, results[0]?.path]).toEqual([preset, 'rooms/D40']);
      expect(nodeOf(results[0]?.explanation, 'vector')).toBeUndefined();
    }
    expect(golden.embedder.questions).toEqual([]);
  });

  it('of 0 for the keyword leg are the ranking of `vector`, in every preset without identifiers', async () => {
    const byVector = await paths(QUERY, { preset: 'vector' });
    for (const preset of ['linear', 'adaptive', 'memory-legacy', 'rrf']) {
      const alone = await paths(QUERY, { preset, weights: { keyword: 0, vector: 1 } });
      expect([preset, alone]).toEqual([preset, byVector.slice(0, alone.length)]);
    }
  });

  it('never bury an identifier in the default, whatever they are', async () => {
    const buried = 'helmets, gloves and a briefing before work, 77.1607';
    for (const weights of [{ keyword: 0 }, { vector: 0 }, { keyword: 0, vector: 1 }, { keyword: 1, vector: 0 }]) {
      expect((await paths(buried, { weights })).slice(0, 3)).toContain('rules/77.1607');
    }
  });

  it('are shares of each other: 1 to 3 is 0.25 to 0.75', async () => {
    const once = await ask(QUERY, { preset: 'linear', weights: { keyword: 1, vector: 3 } });
    const again = await ask(QUERY, { preset: 'linear', weights: { keyword: 0.25, vector: 0.75 } });
    expect(again.results).toEqual(once.results);
  });

  it('are refused when they switch off both legs, or are no numbers', async () => {
    const refused = { code: 'INVALID_REQUEST', field: expect.stringContaining('weights') };
    await expect(ask(QUERY, { weights: { keyword: 0, vector: 0 } })).rejects.toMatchObject(refused);
    await expect(ask(QUERY, { weights: { keyword: -1 } })).rejects.toMatchObject(refused);
    await expect(ask(QUERY, { weights: { vector: Number.NaN } })).rejects.toMatchObject(refused);
  });
});

describe('an address or a package name', () => {
  let catalog: GoldenRegistry;
  beforeAll(async () => {
    const named = (path: string, name: string, more: object) => ({ type: 'mcp_server', path, name, ...more });
    catalog = await goldenRegistry([
      ...LIBRARY,
      named('/history', 'History', {
        description: 'Reads commits.',
        repository: 'https://github.com/acme/history',
        local_runtime: { type: 'uvx', package: 'mcp-server-git' },
      }),
      named('/git-hub', 'GitHub', { description: 'Issues and pull requests on GitHub, with git servers.' }),
      named('/builder', 'MCP server builder', {
        description: 'How to build an MCP server for git. \u0002mcp-server-git\u0002',
      }),
    ]);
  });
  afterAll(() => catalog.close());

  it.each([
    'mcp-server-git',
    'https://github.com/acme/history',
    'github.com/acme/history.git',
    'add mcp-server-git to my editor',
    'what does https://github.com/acme/history do',
  ])('puts its entity first, and is sure: %s', async (query) => {
    const [first] = (await catalog.registry.search({ query })).results;
    expect(first).toMatchObject({ path: '/history', confidence: expect.any(Number) });
    expect(first!.confidence).toBeGreaterThanOrEqual(0.95);
  });

  it('is not found by a part of it', async () => {
    expect((await catalog.registry.search({ query: 'acme', preset: 'keyword' })).results).toEqual([]);
    expect((await catalog.registry.search({ query: 'github' })).results[0]?.path).toBe('/git-hub');
  });
});
