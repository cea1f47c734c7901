import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../src/config.ts';
import { VectorIndex } from '../../src/search/vector/vector-index.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const served: ServedRegistry[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(served.splice(0).map((one) => one.close()));
});

/** Settings as the environment gives them to a server. */
const settingsOf = (env: Record<string, string>) =>
  loadSettings({ env: { XDG_DATA_HOME: '/nowhere', APPDATA: '/nowhere', ...env } }).settings;

async function serve(env: Record<string, string>, more: Record<string, string> = {}): Promise<ServedRegistry> {
  const { preset, vector_search_ef_search } = settingsOf(env);
  const options = { embedder: openedEmbedder(new WordEmbedder()) };
  const one = await serveRegistry(options, { preset, vector_search_ef_search, ...more });
  served.push(one);
  await one.registry.putMany(
    Array.from({ length: 5 }, (_, i) => ({
      type: 'mcp_server',
      path: `/post-${i}`,
      name: `post ${i}`,
      description: `mail ${'and more '.repeat(i)}`,
    })),
  );
  return one;
}

const search = async (one: ServedRegistry, more: object = {}) =>
  (await one.send('POST', '/api/search/semantic', { query: 'mail', ...more })).json;

describe('SEARCH_FUSION_METHOD', () => {
  it.each([
    ['rrf', 'registry'],
    ['legacy', 'registry-legacy'],
    ['hybrid', 'hybrid'],
    ['', 'hybrid'],
  ])('%j selects the preset %s, over HTTP too', async (method, preset) => {
    const env = { SEARCH_FUSION_METHOD: method };
    expect(settingsOf(env).preset).toBe(preset);
    expect((await search(await serve(env))).preset).toBe(preset);
  });

  it('legacy answers with absolute scores and three of a type, unless a request names another preset', async () => {
    const one = await serve({ SEARCH_FUSION_METHOD: 'legacy' });
    const legacy = await search(one);
    expect(legacy.servers).toHaveLength(3);
    for (const { relevance_score, similarity_score } of legacy.results) {
      expect(relevance_score).toBeCloseTo(Math.min(1, (similarity_score + 1) / 2 + 0.2), 4);
    }
    expect((await search(one, { preset: 'registry', floor: 0 })).servers).toHaveLength(5);
  });

  it('is refused with the names that there are when it is none of them', () => {
    expect(() => settingsOf({ SEARCH_FUSION_METHOD: 'best' })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTING', field: 'preset' }),
    );
  });

  it('gives way to our own name for it', () => {
    expect(settingsOf({ SEARCH_FUSION_METHOD: 'legacy', DOWSER_PRESET: 'rrf' }).preset).toBe('registry');
  });
});

describe('VECTOR_SEARCH_EF_SEARCH', () => {
  it('reaches the vector index with every search', async () => {
    const asked = vi.spyOn(VectorIndex.prototype, 'search');
    const folder = temporaryFolder();
    const one = await serve({ VECTOR_SEARCH_EF_SEARCH: '37' }, { engine: 'embedded', data_dir: folder.path });
    for (const preset of ['hybrid', 'registry', 'vector', 'registry-legacy']) {
      asked.mockClear();
      await search(one, { preset });
      expect(asked.mock.calls[0]?.[1].efSearch, preset).toBe(37);
    }
    await one.close();
    folder.remove();
  });

  it.each(['9', '100001', 'many', '1.5'])('is refused when it is %s', (value) => {
    expect(() => settingsOf({ VECTOR_SEARCH_EF_SEARCH: value })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTING', field: 'vector_search_ef_search' }),
    );
  });

  it('is the least that is compared: more follow where a query needs them, and all of the rows miss none', () => {
    const dimensions = 128;
    let seed = 1;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32 - 0.5;
    };
    const vector = () => Float32Array.from({ length: dimensions }, random);
    const rows = Array.from({ length: 3000 }, vector);
    // As an index of tens of thousands of rows would: a sketch picks the candidates.
    const index = new VectorIndex(dimensions, { minSketchRows: 1000 });
    rows.forEach((row, i) => {
      index.set(i, row);
    });
    const queries = Array.from({ length: 40 }, vector);
    const missesWith = (efSearch: number) =>
      queries.filter((query) => {
        const options = { eligible: null, limit: 1, efSearch, compareRows: (a: number, b: number) => a - b };
        const best = Math.max(...rows.map((row) => cosine(query, row)));
        return Math.abs(index.search(query, options).scores[0]! - best) > 1e-6;
      }).length;
    // The ten rows with the best sums have the nearest for few of these queries, which are like nothing.
    expect(missesWith(10)).toBeLessThanOrEqual(1);
    expect(missesWith(3000)).toBe(0);
  });
});

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! * a[i]!;
    bb += b[i]! * b[i]!;
  }
  return dot / Math.sqrt(aa * bb);
}
