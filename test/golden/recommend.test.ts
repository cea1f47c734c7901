import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOW_CONFIDENCE } from '../../src/model/answer/low-confidence.ts';
import { FACETS, type FacetFilter, facetKey, hasFacet } from '../../src/model/entity-parts/facets.ts';
import { RELAXATION_ORDER } from '../../src/recommend/relaxation.ts';
import { type Option, RECOMMEND_PRESETS } from '../../src/registry/contract/recommend-schemas.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from '../support/memory-registry.ts';
import { wordsRegistry } from '../support/words-registry.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);
const CATALOG = ['packages', 'mcp-servers', 'skills', 'virtual-servers'].flatMap((name) =>
  readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line)),
);

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await wordsRegistry(CATALOG);
});
afterAll(() => registry.close());

const WISHES = { language: 'TypeScript', category: 'ORM', license: 'MIT', deployment: 'Library' };
/** Each is met by some package, hardly any two by the same one. */
const RARE_WISHES = { language: 'Rust', category: 'Job queue', license: 'copyleft', deployment: 'serverless' };
const packages = { entity_types: ['package'] as const };

const meets = ({ facets }: Option, where: FacetFilter) =>
  FACETS.every((facet) => {
    const value = where[facet];
    const own = (facets[facet] ?? []).map((one) => facetKey(facet, one));
    return value === undefined || hasFacet(own, facetKey(facet, value));
  });

describe('every combination of filters on the example catalog', () => {
  const combinationsOf = (wishes: Required<FacetFilter>): FacetFilter[] =>
    Array.from({ length: 2 ** FACETS.length }, (_, bits) =>
      Object.fromEntries(FACETS.filter((_, at) => bits & (1 << at)).map((facet) => [facet, wishes[facet]])),
    );
  const tested = async (context: FacetFilter) => {
    const answer = await registry.recommend({ query: 'orm for a database', context, ...packages });
    const kept = Object.fromEntries(
      Object.entries(context).filter(([facet]) => !answer.relaxed.includes(facet as never)),
    );
    const options = [...answer.recommendations, ...answer.alternatives];
    expect(options.length).toBeGreaterThan(0);
    for (const option of options) expect([option.path, meets(option, kept)]).toEqual([option.path, true]);
    // With one more facet, nothing matches: no facet is dropped without need.
    const last = answer.relaxed.at(-1);
    if (last === undefined) return answer.relaxed;
    const stricter = { ...kept, [last]: context[last] };
    const { results } = await registry.search({
      query: 'orm for a database',
      where: stricter,
      entity_types: ['package'],
    });
    expect(results).toEqual([]);
    return answer.relaxed;
  };
  it.each(combinationsOf(WISHES))('%j gives full matches', async (context) => {
    expect(await tested(context)).toEqual([]);
  });
  it.each(combinationsOf(RARE_WISHES))(
    '%j gives full matches, or says truthfully what was relaxed',
    async (context) => {
      const relaxed = await tested(context);
      // Only what comes first in the order of the seed, of what was asked for.
      const asked = RELAXATION_ORDER.filter((facet) => context[facet] !== undefined);
      expect(relaxed).toEqual(asked.slice(0, relaxed.length));
      if (asked.length === FACETS.length) expect(relaxed).toEqual(['deployment', 'license', 'category']);
    },
  );
});

describe('a recommendation', () => {
  it('is one choice with reasons, where "best ORM for TypeScript, MIT" is asked for', async () => {
    const context = { language: 'typescript', license: 'mit' };
    const { recommendations, questions, relaxed } = await registry.recommend({
      query: 'best orm',
      context,
      ...packages,
    });
    expect(recommendations.map(({ path }) => path)).toEqual(['/packages/typeorm']);
    expect(recommendations[0]!.reasons[1]).toBe('language typescript, license mit as asked');
    expect([questions, relaxed]).toEqual([[], []]);
  });

  const ranked = (preset: string, query: string) =>
    registry.search({ query, preset, soft_cap: 1, max_results: 15, entity_types: ['package', 'mcp_server', 'skill'] });
  const chosen = async (preset: (typeof RECOMMEND_PRESETS)[number], query: string) => {
    const asked = { query, preset, entity_types: ['package', 'mcp_server', 'skill'] as const };
    const { recommendations, alternatives } = await registry.recommend(asked);
    return [...recommendations, ...alternatives];
  };

  it('is nothing that hardly matches, as the first result of the search may', async () => {
    const [first] = await chosen('recommend', 'query builder for postgres');
    expect(first!.path).toBe('/packages/kysely');
    const { results } = await ranked('recommend', 'query builder for postgres');
    expect(results[0]!.confidence).toBeLessThan(first!.confidence / 3);
  });

  it('has the order and the scores of its search with the literal preset', async () => {
    for (const query of [
      'orm for postgres',
      'queue for laravel',
      'job queue for redis',
      'vector database',
      'ui library',
    ]) {
      const options = await chosen('recommend-legacy', query);
      const { results } = await ranked('recommend-legacy', query);
      expect(options.map(({ path, fit_score }) => [path, fit_score])).toEqual(
        results.slice(0, options.length).map(({ path, relevance_score }) => [path, relevance_score]),
      );
    }
  });

  it('says so where even the best option has a low confidence', async () => {
    const { recommendations } = await registry.recommend({ query: 'typed orm for mysql' });
    const [unsure] = recommendations;
    expect(unsure!.confidence).toBeLessThan(LOW_CONFIDENCE);
    expect(unsure!.reasons).toContain('low confidence: it may not be what you need');
    const sure = await registry.recommend({ query: 'search engine' });
    expect(sure.recommendations[0]!.reasons.join()).not.toContain('low confidence');
  });

  it('completes the recommended options alone', async () => {
    const context = { language: 'TypeScript', license: 'MIT' };
    const { recommendations, prerequisites } = await registry.recommend({ query: 'orm for postgres', context });
    const members = [...prerequisites.needed_first, ...prerequisites.used_with];
    expect(members.map(({ path }) => path)).toContain('/packages/postgresql');
    expect([...new Set(members.map((member) => member.for))]).toEqual(recommendations.map(({ path }) => path));
  });

  it('names what an option needs first, also where that is an alternative', async () => {
    const answer = await registry.recommend({ query: 'job queue for redis', ...packages });
    expect(answer.recommendations.map(({ path }) => path)).toEqual(['/packages/bullmq']);
    expect(answer.alternatives.map(({ path }) => path)).toContain('/packages/redis');
    expect(answer.prerequisites.needed_first.map(({ path }) => path)).toEqual(['/packages/redis']);
  });

  it('takes a class of licenses for each of its licenses', async () => {
    const asked = (license: string) => registry.recommend({ query: 'database', context: { license }, ...packages });
    const permissive = await asked('Permissive');
    const licenses = [...permissive.recommendations, ...permissive.alternatives].map(({ facets }) => facets.license);
    expect([licenses.length, permissive.relaxed]).toEqual([5, []]);
    expect(licenses.filter((license) => /gpl|sspl|mpl/.test(license!.join()))).toEqual([]);
    expect(permissive.recommendations[0]!.reasons).toContain('license Permissive as asked');
    const copyleft = await asked('copyleft');
    for (const { facets } of copyleft.recommendations) expect(facets.license!.join()).toMatch(/gpl|mpl/);
    expect(copyleft.relaxed).toEqual([]);
  });

  it('says what was relaxed, in the order of the seed, and in another order if asked', async () => {
    const context = { language: 'TypeScript', category: 'orm', license: 'SSPL-1.0', deployment: 'on the moon' };
    const answer = await registry.recommend({ query: 'orm', context, ...packages });
    expect(answer.relaxed).toEqual(['deployment', 'license']);
    const other = await registry.recommend({
      query: 'orm',
      context,
      relax: ['language', 'category', 'license'],
      ...packages,
    });
    expect([other.relaxed, other.no_match]).toEqual([['language', 'category', 'license'], true]);
  });

  it('says when nothing is left even without facets', async () => {
    const byWords = await memoryRegistry();
    // With a health, the best maintained would be given.
    await byWords.putMany(CATALOG.map(({ health: _, ...entity }) => entity));
    const context = { language: 'TypeScript' };
    const answer = await byWords.recommend({ query: 'xyzzy plugh', context, ...packages });
    expect(answer).toMatchObject({ no_match: true, relaxed: [], recommendations: [] });
    const left = (warning: string) => warning.startsWith('Nothing matches in the language "TypeScript"');
    expect(answer.warnings.filter(left)).toHaveLength(1);
    const anyLanguage = await byWords.recommend({ query: 'xyzzy plugh', context, relax: ['language'], ...packages });
    expect(anyLanguage).toMatchObject({ no_match: true, relaxed: ['language'], recommendations: [] });
    expect(anyLanguage.warnings.filter(left)).toEqual([]);
    await byWords.close();
  });

  it('asks one question where a facet splits the options, and narrows by the answer', async () => {
    const first = await registry.recommend({ query: 'orm for a database', ...packages });
    expect(first).toMatchObject({ status: 'clarification_needed', questions: [{ dimension: 'language' }] });
    expect(first.recommendations.length).toBeGreaterThan(0);
    const value = first.questions[0]!.options[0]!;
    for (const answers of [{ language: value }, [{ dimension: 'language', value }]]) {
      const next = await registry.recommendRespond({ query_id: first.query_id, answers, done: true });
      expect(next).toMatchObject({ query_id: first.query_id, questions: [], relaxed: [] });
      for (const option of next.recommendations) expect(option.facets.language).toContain(value);
    }
  });

  it('asks nothing where context is given or no question is wanted', async () => {
    const given = await registry.recommend({ query: 'orm', context: { license: 'MIT' }, ...packages });
    const quiet = await registry.recommend({ query: 'orm', max_questions: 0, ...packages });
    expect([given.questions, quiet.questions]).toEqual([[], []]);
    expect(
      (await registry.recommend({ query: 'orm', max_questions: 3, ...packages })).questions.length,
    ).toBeGreaterThan(1);
  });

  it('refuses unknown facets, contradictions and unknown sessions, and loses nothing', async () => {
    const { query_id } = await registry.recommend({ query: 'orm', ...packages });
    const respond = (answers: Record<string, string> | { dimension: string; value: string }[], id = query_id) =>
      registry.recommendRespond({ query_id: id, answers });
    await expect(respond({ color: 'red' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'answers' });
    const both = ['Go', 'Rust'].map((value) => ({ dimension: 'language', value }));
    await expect(respond(both)).rejects.toThrow('contradict');
    await expect(respond({}, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await respond({ language: 'Go' });
    await expect(respond({ language: 'go' })).resolves.toMatchObject({ query_id });
    await expect(respond({ language: 'Rust' })).rejects.toThrow('contradict');
    await expect(
      registry.as({ readers: ['public'] }).recommendRespond({ query_id, answers: {} }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a popular hub that is off topic', () => {
  const QUERIES = [
    'orm for postgres',
    'web framework for python',
    'automate a browser',
    'deploy to the cloud',
    'unit test runner',
    'put an event into my calendar',
  ];

  it('never enters the first three, however many edges it has', async () => {
    const hub = { type: 'package', path: '/packages/code-camp', name: 'Code Camp' };
    const own = await wordsRegistry([
      ...CATALOG,
      // It has a word of each query, as popular things do.
      {
        ...hub,
        description: 'Free lessons: orm, queue, database, web, message, file, issue, browser, cloud, test, event',
      },
    ]);
    const edges = CATALOG.map(({ path }) => ({ source: hub.path, target: path, type: 'POPULAR_WITH', weight: 99 }));
    for (let from = 0; from < 3; from++) {
      const type = (['POPULAR_WITH', 'INTEGRATES_WITH', 'REQUIRES'] as const)[from]!;
      await own.putEdges({ edges: edges.map((edge) => ({ ...edge, type })), provenance: `import:${from}` });
    }
    const firstThree = async (preset: string, query: string) =>
      (await own.search({ query, preset, soft_cap: 1 })).results.slice(0, 3).map(({ path }) => path);
    let found = 0;
    for (const query of QUERIES) {
      expect([query, await firstThree('recommend', query)]).not.toEqual([query, expect.arrayContaining([hub.path])]);
      const { recommendations } = await own.recommend({ query, max_questions: 0 });
      expect(recommendations.map(({ path }) => path)).not.toContain(hub.path);
      if ((await firstThree('recommend-legacy', query)).includes(hub.path)) found += 1;
    }
    // The same edges let it win where degree counts, as in ToolPilot's own formula.
    expect(found).toBeGreaterThan(0);
    await own.close();
  });
});

describe('health', () => {
  const tool = (path: string, health: object) => ({
    type: 'package',
    path,
    name: path.slice(1),
    description: 'Sends mail',
    health,
  });
  it('TP-7: keeps to the language, and gives the best kept of it where nothing of it answers', async () => {
    const byWords = await memoryRegistry();
    const spoken = (path: string, language: string) => ({ ...tool(path, { maintenance: 0.5 }), language });
    await byWords.putMany([spoken('/mail', 'Go'), { ...spoken('/boat', 'Rust'), description: 'Rows a boat' }]);
    const asked = { query: 'sends mail', context: { language: 'rust', license: 'MIT' } };
    const { recommendations, relaxed, warnings } = await byWords.recommend(asked);
    expect([recommendations.map(({ path }) => path), relaxed]).toEqual([['/boat'], ['license']]);
    expect(warnings.join()).toContain('best maintained');
    await byWords.close();
  });

  it('gives two options where one is stable and the other emerging', async () => {
    const own = await wordsRegistry([
      tool('/old', { maintenance: 0.9, stars: 9000, velocity: 10 }),
      tool('/new', { maintenance: 0.5, stars: 900, velocity: 500 }),
      tool('/stale', { maintenance: 0.1, stars: 100, velocity: 0 }),
    ]);
    const two = await own.recommend({ query: 'sends mail' });
    expect(two.is_two_option).toBe(true);
    expect(two.recommendations.map(({ stability }) => stability).sort()).toEqual(['emerging', 'stable']);
    await own.close();
  });

  it('TP-3: gives the best kept where nothing is found', async () => {
    const byWords = await memoryRegistry();
    await byWords.putMany([tool('/a', { maintenance: 0.1 }), tool('/b', { maintenance: 0.9 }), tool('/c', {})]);
    for (const preset of RECOMMEND_PRESETS) {
      const none = await byWords.recommend({ query: 'quantum', preset });
      expect([...none.recommendations, ...none.alternatives].map(({ path }) => path)).toEqual(['/b', '/a']);
      expect(none.warnings.join()).toContain('best maintained');
    }
    await byWords.put({ ...tool('/go', { maintenance: 0.2 }), language: 'Go' });
    const asked = async (context: FacetFilter, relax?: ('license' | 'language')[]) => {
      const request = { query: 'quantum', context, ...(relax === undefined ? {} : { relax }) };
      const { recommendations, alternatives, relaxed } = await byWords.recommend(request);
      return [[...recommendations, ...alternatives].map(({ path }) => path), relaxed];
    };
    expect(await asked({ language: 'go', license: 'MIT' })).toEqual([['/go'], ['license']]);
    expect(await asked({ language: 'Rust' })).toEqual([[], []]);
    expect(await asked({ language: 'Rust' }, ['language'])).toEqual([['/b', '/go', '/a'], ['language']]);
    // A facet that must not be dropped is never dropped.
    expect(await asked({ language: 'Rust', license: 'MIT' }, ['license'])).toEqual([[], ['license']]);
    await byWords.close();
  });
});
