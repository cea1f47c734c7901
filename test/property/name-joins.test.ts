import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { partsOf } from '../../src/search/text/identifier.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { wordsRegistry } from '../support/words-registry.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);
const CATALOG = readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as { readonly type: string; readonly name: string });
const NAMES = CATALOG.filter(({ type }) => type !== 'memory' && type !== 'document').map(({ name }) => name);

/** The words of a name: at most as many as are read as one name. */
const wordsIn = (name: string) => name.split(/[^\p{L}\p{N}+#]+/u).filter((word) => word !== '');
const splitIn = (name: string) => wordsIn(name).flatMap((word) => partsOf(word));
const forms = (name: string) => [
  wordsIn(name).join(' ').toLowerCase(),
  splitIn(name).join(' '),
  splitIn(name).join('-').toLowerCase(),
  wordsIn(name).join(''),
];

const places = temporaryFolder();
let registry: Awaited<ReturnType<typeof wordsRegistry>>;
beforeAll(async () => {
  registry = await wordsRegistry(CATALOG, undefined, { engine: 'embedded', data_dir: places.path });
});
afterAll(async () => {
  await registry.close();
  places.remove();
});

const found = async (asked: Registry, query: string, more: object = {}) => {
  const { results } = await asked.search({ query, max_results: 3, ...more });
  return results.map(({ path, relevance_score, confidence }) => [path, relevance_score, confidence]);
};

describe('case and joins do not decide', () => {
  it('for any name of the example catalog', async () => {
    const names = [...new Set(NAMES)].filter((name) => splitIn(name).length <= 5 && wordsIn(name).join('').length >= 3);
    expect(names.length).toBeGreaterThan(150);
    for (const name of names) {
      const expected = await found(registry, `how to use ${name}`);
      for (const form of forms(name)) {
        expect([form, await found(registry, `how to use ${form}`)]).toEqual([form, expected]);
      }
    }
  }, 240_000);

  it('but in the presets that take a query literally', async () => {
    for (const preset of ['registry', 'lexical', 'linear', 'keyword']) {
      const [joined, split] = [
        await found(registry, 'GitHub', { preset }),
        await found(registry, 'git hub', { preset }),
      ];
      expect([preset, joined]).not.toEqual([preset, split]);
    }
  });

  it('and a name that the caller may not read changes nothing', async () => {
    const asked = registry.as({ readers: ['public'] });
    const before = await found(asked, 'read the release notes');
    await registry.put({ type: 'tool', path: '/hidden', name: 'ReleaseNotes', visibility: 'private', owner: 'ada' });
    expect(await found(asked, 'read the release notes')).toEqual(before);
  });
});
