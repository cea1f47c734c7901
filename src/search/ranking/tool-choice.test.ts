import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../test/support/add-up-error.ts';
import { foundUnit, type Lists, type RankOptions, rankLists, retrievedOf } from '../../../test/support/rank-lists.ts';
import { searchRequestSchema } from '../../model/query/query.ts';
import { CONCEPTUAL } from '../identifier/classify-query.ts';
import { planSearch } from '../plan/plan.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';
import { fuse } from './fuse.ts';
import { rank } from './rank.ts';
import { textsOf } from './tool-choice.ts';

const tool = (path: string, name: string, scores: { keyword?: number; vector?: number }) =>
  foundUnit({ path, key: `tool:${name}`, ...scores });

/** By the name of the server, the tool that creates a branch seems nearest. */
const branch = tool('/github', 'create_branch', { keyword: 9, vector: 0.62 });
const issue = tool('/github', 'issue_write', { keyword: 6, vector: 0.6 });
const card = foundUnit({ path: '/github', keyword: 4, vector: 0.5 });
const ticket = tool('/tracker', 'open_ticket', { keyword: 5, vector: 0.5 });
const other = foundUnit({ path: '/tracker', keyword: 2, vector: 0.3 });
const LISTS: Lists = { vector: [branch, issue, card, ticket, other], keyword: [branch, issue, ticket, card, other] };

/** Ranks `LISTS` as if `issue` were nearest to the query without the name of its server. */
function chosen(lists: Lists, request: object, own: ReadonlyMap<FoundUnit, number>) {
  const plan = planSearch(searchRequestSchema.parse({ query: 'create a github issue', explain: true, ...request }));
  const retrieved = retrievedOf(lists);
  const asked = {
    ...retrieved,
    toolsOf: (units: readonly FoundUnit[]) =>
      retrieved.toolsOf(units).map((server, at) => {
        const unlisted = [...own.keys()].filter(({ entity }) => entity === units[at]!.entity);
        const tools = [...new Set([...server.tools, ...unlisted])];
        return { ...server, tools, cosines: () => tools.map((found) => own.get(found) ?? found.vector) };
      }),
  };
  const evidence = { ...retrieved.evidence, bestKeyword: 9, adjacent: 0, cosines: { best: 0.62, floor: 0 } };
  const input = { retrieved: asked, classification: CONCEPTUAL, evidence, dead: new Set<never>() };
  const fused = fuse(plan, input);
  const texts = textsOf(fused.choices);
  const vectors = new Map(texts.map((text) => [text, new Float32Array(4)]));
  return { texts, page: rank(plan, input, fused, { vectors }).page, without: rank(plan, input, fused).page };
}

const NEAREST_ISSUE = new Map([
  [branch, 0.2],
  [issue, 0.55],
]);

describe('the choice among the tools of a server', () => {
  it('compares them without the words that name the server', () => {
    const { texts, page, without } = chosen(LISTS, {}, NEAREST_ISSUE);
    expect(texts).toEqual(['create a issue']);
    expect(without[0]!.best.found).toBe(branch);
    expect(page[0]!.best.found).toBe(issue);
  });

  it('keeps the places and scores of the servers', () => {
    const { page, without } = chosen(LISTS, {}, NEAREST_ISSUE);
    expect(page.map(({ key, score }) => [key, score])).toEqual(without.map(({ key, score }) => [key, score]));
  });

  it('hands the places of tools out again where tools are the results', () => {
    const tools = { vector: [branch, issue, ticket], keyword: [branch, issue, ticket] };
    const { page, without } = chosen(tools, { entity_types: ['tool'] }, NEAREST_ISSUE);
    expect(without.map(({ best }) => best.found.title)).toEqual(['create_branch', 'issue_write', 'open_ticket']);
    expect(page.map(({ best }) => best.found.title)).toEqual(['issue_write', 'create_branch', 'open_ticket']);
    expect(page.map(({ score }) => score)).toEqual(without.map(({ score }) => score));
  });

  it('finds a tool that neither leg listed', () => {
    const lists = { vector: [branch, card, ticket], keyword: [branch, ticket], others: [other] };
    expect(chosen(lists, {}, NEAREST_ISSUE).page[0]!.best.found).toBe(issue);
    const { page } = chosen(lists, { entity_types: ['tool'] }, NEAREST_ISSUE);
    expect(page.map(({ best }) => best.found.title)).toEqual(['issue_write', 'create_branch', 'open_ticket']);
  });

  it('explains what it changed, with parts that add up', () => {
    for (const request of [{}, { entity_types: ['tool'] }]) {
      for (const { score, explain } of chosen(LISTS, request, NEAREST_ISSUE).page) {
        expect(explain!().value).toBeCloseTo(score, 9);
        expect(addUpError(explain!())).toBeLessThan(1e-9);
      }
    }
    const tree = JSON.stringify(chosen(LISTS, {}, NEAREST_ISSUE).page[0]!.explain!());
    expect(tree).toContain('"fit among the tools of its server"');
    expect(tree).toContain('"place_of":"create_branch"');
  });

  it('shows the best tool in place of a card, unless the card fits much better', () => {
    const near = foundUnit({ path: '/github', keyword: 9, vector: 0.7 });
    const lists = { vector: [near, issue], keyword: [near, issue, ticket] };
    expect(chosen(lists, {}, NEAREST_ISSUE).page[0]!.best.found).toBe(issue);
    const far = tool('/github', 'create_label', { keyword: 1, vector: 0.1 });
    const { page } = chosen({ vector: [near, far], keyword: [near, far, ticket] }, {}, new Map());
    expect(page[0]!.best.found).toBe(near);
  });

  it('counts a tool without a vector as average', () => {
    const waiting = tool('/github', 'create_issue', { keyword: 9 });
    const far = tool('/github', 'delete_label', { keyword: 1, vector: 0.1 });
    const lists = { vector: [issue, far], keyword: [waiting, issue, far, ticket] };
    expect(chosen(lists, {}, new Map()).page[0]!.best.found).not.toBe(far);
  });

  it('changes nothing if the query only names the server', () => {
    const { texts, page, without } = chosen(LISTS, { query: 'GitHub' }, NEAREST_ISSUE);
    expect(texts).toEqual([]);
    expect(page.map(({ best }) => best.found)).toEqual(without.map(({ best }) => best.found));
    expect(page[0]!.best.found).toBe(branch);
  });

  it('embeds nothing where no server is named', () => {
    expect(chosen(LISTS, { query: 'report a problem' }, NEAREST_ISSUE).texts).toEqual([]);
  });

  it.each(['registry', 'registry-legacy', 'linear', 'adaptive', 'anchored', 'rrf', 'keyword', 'vector'])(
    'is not made by %s',
    (preset) => {
      const { texts, page, without } = chosen(LISTS, { preset }, NEAREST_ISSUE);
      expect(texts).toEqual([]);
      expect(page.map(({ best }) => best.found)).toEqual(without.map(({ best }) => best.found));
    },
  );
});

const options: RankOptions = { request: { query: 'create an issue' } };
it('counts the action of the query and of the tool', () => {
  const [create, remove] = ['create_issue', 'delete_issue'].map((name, at) =>
    tool('/tracker', name, { keyword: 5, vector: 0.5 + at / 100 }),
  );
  const lists = { vector: [remove!, create!, branch], keyword: [remove!, create!, branch] };
  const { matched } = rankLists(lists, options);
  expect(matched.find(({ key }) => key.endsWith('/tracker'))!.best.found).toBe(create);
});
