import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchResponse } from '../../src/model/answer/result.ts';
import { type GoldenRegistry, goldenRegistry } from '../support/golden-registry.ts';
import { LIBRARY } from './identifier-fixtures.ts';
import { NAMED, NONSENSE, SHELF } from './language-fixtures.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);
const catalog = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as object);

/** A registry for the tests of one block. */
function opened(entities: readonly unknown[]) {
  let golden: GoldenRegistry | undefined;
  beforeAll(async () => {
    golden = await goldenRegistry(entities);
  }, 120_000);
  afterAll(() => golden?.close());
  return (query: string): Promise<SearchResponse> => golden!.registry.search({ query });
}

/** Of a script that the model cannot read nothing is even near. */
const NOTHING = { no_match: true, results: [], nearest: expect.any(Array), total_candidates: 0 };

describe('a name', () => {
  const ask = opened(SHELF);

  it.each(NAMED)('in %s finds first what is called %s', async (language, name) => {
    const expected = `/${language.toLowerCase()}`;
    for (const query of [name, name.toLowerCase(), name.toUpperCase(), ` «${name}» `, `${name}?`]) {
      expect([query, (await ask(query)).results[0]?.path]).toEqual([query, expected]);
    }
  });

  it.each([
    ['Boite a lettres', '/french'],
    ['cuaderno de vinedos', '/spanish'],
    ['skrzynka narzedziowa', '/polish'],
    ['isik cevirici', '/turkish'],
    ['ежик переводчик', '/russian'],
    ['ημερολογιο πλοιου', '/greek'],
    ['天气预报', '/chinese'],
    ['議事録', '/japanese'],
    ['번역', '/korean'],
  ])('is found as people type it too: %s', async (query, expected) => {
    expect((await ask(query)).results[0]?.path).toBe(expected);
  });

  it('in one language does not bring up all of a script', async () => {
    const { results } = await ask('空气质量助手');
    expect(results[0]?.path).toBe('/chinese-other');
  });
});

describe('a query in another script', () => {
  const ask = opened(catalog);

  it.each(['погода в Берлине', '天気予報'])(
    'is not embedded by an English model, and the answer says so: %s',
    async (query) => {
      const { warnings, search_mode } = await ask(query);
      expect([search_mode, warnings]).toEqual([
        'lexical-only',
        ['The embedding model reads English only; results are by keyword only.'],
      ]);
    },
  );
});

describe('nonsense', () => {
  describe('in a small library', () => {
    const ask = opened(LIBRARY);

    it.each(NONSENSE)('matches nothing, and what is nearest is shown apart: %s', async (query) => {
      expect(await ask(query)).toMatchObject(NOTHING);
    });

    it('shows the three nearest where the model can read it', async () => {
      expect((await ask('florbnik zantwhistle')).nearest).toHaveLength(3);
    });

    it('is told from a real question about something that is not there, which matches nothing as well', async () => {
      expect(await ask('kubernetes ingress controller')).toMatchObject(NOTHING);
    });
  });

  describe('in the example catalog', () => {
    const ask = opened(catalog);

    it.each(NONSENSE)('matches nothing, and what is nearest is shown apart: %s', async (query) => {
      expect(await ask(query)).toMatchObject(NOTHING);
    });

    it.each([
      ['read a PDF file', '/pdf-reader'],
      // The skill is for index questions; the tool analyze_query_indexes of /postgres comes second.
      ['which index makes my query faster', '/postgres'],
      ['weather forecast for tomorrow', '/weather'],
      ['create a pull request', '/github'],
      ['query a postgres database', '/postgres'],
      ['play some music', '/spotify'],
      ['convert currency', '/agents/currency'],
      ['github', '/github'],
      ['review my code', '/skills/code-review'],
      ['schedule a meeting', '/google-calendar'],
      ['find restaurants nearby', '/google-maps'],
      ['kubernetes pods', '/kubernetes'],
      ['send a message to my colleagues on slack', '/slack'],
      ['kubernets', '/kubernetes'],
    ])('sense matches something, and the right thing first: %s', async (query, expected) => {
      const answer = await ask(query);
      expect(answer).toMatchObject({ no_match: false, warnings: [] });
      expect(answer.nearest).toBeUndefined();
      expect(answer.results[0]?.path).toBe(expected);
    });

    it.each([
      'send an email',
      'spreadsheet',
      'chart',
      'sql',
      'my invoices',
      'how do I deploy',
      'translate text',
      'browser',
    ])('sense matches something: %s', async (query) => {
      const { no_match, results } = await ask(query);
      expect([no_match, results.length > 0]).toEqual([false, true]);
    });
  });
});
