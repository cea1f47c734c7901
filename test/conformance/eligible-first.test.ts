import { afterAll, describe, expect, it } from 'vitest';
import type { SearchRequestInput } from '../../src/model/query/query.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

/** The best there could be for the query, by either leg. */
const better = (i: number, more: object) => ({
  type: 'mcp_server',
  path: `/mail-${i}`,
  name: 'mail',
  description: 'mail mail',
  tags: ['mail'],
  ...more,
});
/** Found by either leg, behind all of those. */
const weaker = (i: number, more: object) => ({
  type: 'mcp_server',
  path: `/weak-${i}`,
  name: `weak ${i}`,
  description: `one mail among other words such as gardens, rivers and stones ${i}`,
  ...more,
});

interface Case {
  readonly hidden: object;
  readonly shown: object;
  readonly request: SearchRequestInput;
}
const CASES: Readonly<Record<string, Case>> = {
  'of another type': { hidden: { type: 'skill' }, shown: {}, request: { entity_types: ['mcp_server'] } },
  'that are drafts': { hidden: { status: 'draft' }, shown: { status: 'beta' }, request: {} },
  'that are deprecated': { hidden: { status: 'deprecated' }, shown: {}, request: { include_draft: true } },
  'that are switched off': { hidden: { is_enabled: false }, shown: {}, request: {} },
  'without the tag': { hidden: {}, shown: { tags: ['Prod'] }, request: { tags: ['prod'] } },
  'without one of two tags': {
    hidden: { tags: ['mail', 'prod'] },
    shown: { tags: ['prod', 'eu'] },
    request: { tags: ['prod', 'EU'] },
  },
};

const PRESETS = ['hybrid', 'registry', 'keyword', 'vector', 'rrf', 'lexical', 'registry-legacy'];
const ENGINES = ['memory', 'embedded'];

describe.each(ENGINES)('a hundred better results in the %s engine', (engine) => {
  const folder = temporaryFolder();
  const made: LocalRegistry[] = [];
  afterAll(async () => {
    await Promise.all(made.map((registry) => registry.close()));
    folder.remove();
  });

  it.each(Object.entries(CASES))('%s leave the three that may be seen', async (name, { hidden, shown, request }) => {
    const data_dir = `${folder.path}/${name.replaceAll(' ', '-')}`;
    const registry = await wordsRegistry(
      [
        ...Array.from({ length: 100 }, (_, i) => better(i, hidden)),
        ...Array.from({ length: 3 }, (_, i) => weaker(i, shown)),
      ],
      new WordEmbedder(),
      { engine, data_dir },
    );
    made.push(registry);
    for (const preset of PRESETS) {
      const asked = { query: 'mail', preset, floor: 0, max_results: 3, ...request };
      const { results } = await registry.search(asked);
      expect(results.map(({ path }) => path).sort(), preset).toEqual(['/weak-0', '/weak-1', '/weak-2']);
      // What is hidden is better: without the filter it is what comes.
      const all = { include_draft: true, include_deprecated: true, include_disabled: true };
      const open = await registry.search({ query: 'mail', preset, floor: 0, max_results: 3, ...all });
      expect(open.results.filter(({ path }) => path.startsWith('/mail-')).length, preset).toBeGreaterThan(0);
    }
  });
});

describe('a draft', () => {
  it('ST-6: is not found by its very name either', async () => {
    const draft = { type: 'mcp_server', path: '/context7', name: 'context7', description: 'mail', status: 'draft' };
    const registry = await wordsRegistry([draft, weaker(1, {})]);
    for (const preset of PRESETS) {
      for (const query of ['context7', '/context7', '"context7" mail']) {
        const { results, nearest = [], servers } = await registry.search({ query, preset, floor: 0 });
        expect([...results, ...nearest, ...servers].map(({ path }) => path)).not.toContain('/context7');
      }
      const { results } = await registry.search({ query: 'context7', preset, include_draft: true });
      expect(results[0]?.path, preset).toBe('/context7');
    }
    await registry.close();
  });
});
