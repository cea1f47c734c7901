import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../test/support/add-up-error.ts';
import { foundUnit, type Lists, type RankOptions, rankLists } from '../../../test/support/rank-lists.ts';
import type { Explanation } from '../../model/answer/explanation.ts';
import { PRESETS } from '../plan/presets.ts';

const TWO_LEGS = Object.values(PRESETS).filter(({ vector }) => vector !== null);

/** Units found by both legs, units found by one leg, and a card that no leg found. */
const mail = foundUnit({ path: '/mail', key: 'tool:send', keyword: 8, vector: 0.8 });
const mailCard = foundUnit({ path: '/mail', keyword: 5, vector: 0.6 });
const post = foundUnit({ path: '/post', keyword: 6, vector: 0.5 });
const letters = foundUnit({ path: '/letters', keyword: 3, vector: 0.7 });
const LISTS: Lists = { vector: [mail, letters], keyword: [mail, post], others: [mailCard] };

function partsNamed(tree: Explanation, label: string): readonly Explanation[] {
  const own = tree.label === label ? [tree] : [];
  return [...own, ...(tree.parts ?? []).flatMap((part) => partsNamed(part, label))];
}

describe('an explanation', () => {
  it.each(Object.keys(PRESETS))('adds up to the score by its parts, not by rounding: %s', (preset) => {
    const { page } = rankLists(LISTS, { request: { preset, explain: true, floor: 0 }, dead: ['/post'] });
    expect(page.length).toBeGreaterThan(0);
    for (const { explain, score } of page) {
      const tree = explain!();
      expect(tree.value).toBe(score);
      expect(addUpError(tree)).toBeLessThan(1e-9);
      for (const { value } of partsNamed(tree, 'rounding')) expect(Math.abs(value)).toBeLessThanOrEqual(5e-5);
    }
  });

  it.each(TWO_LEGS.map(({ name }) => name))('has a part for each leg with a weight above 0: %s', (preset) => {
    const { matched } = rankLists(LISTS, { request: { preset, explain: true, floor: 0 } });
    const tree = matched.find(({ entity }) => entity.endsWith('/mail'))!.explain!();
    const legs = PRESETS[preset]!.weights;
    for (const leg of ['keyword', 'vector'] as const) {
      const expected = typeof legs !== 'string' && legs[leg] === 0 ? 0 : 1;
      expect([leg, partsNamed(tree, leg).length]).toEqual([leg, expected]);
    }
  });

  it('gives each leg of RRF its own share', () => {
    const { matched } = rankLists(LISTS, { request: { preset: 'rrf', explain: true } });
    const tree = matched[0]!.explain!();
    expect(partsNamed(tree, 'keyword')[0]).toMatchObject({ value: 1 / 61, detail: { rank: 1, k: 60 } });
    expect(partsNamed(tree, 'vector')[0]).toMatchObject({ value: 1 / 61, detail: { rank: 1, k: 60 } });
  });

  describe('of a server that did not respond', () => {
    const ask = (dead: readonly string[], request: RankOptions['request'] = {}) => {
      const { matched } = rankLists(LISTS, { request: { explain: true, ...request }, dead });
      const found = matched.find(({ entity }) => entity.endsWith('/mail'))!;
      return { score: found.score, tree: found.explain!() };
    };

    it('loses a tenth, and says so', () => {
      const [alive, dead] = [ask([]), ask(['/mail'])];
      expect(dead.score).toBeCloseTo(0.9 * alive.score, 12);
      const [lost] = partsNamed(dead.tree, 'did not respond to the last check');
      expect(lost!.value).toBeCloseTo(-0.1 * alive.score, 12);
      expect(addUpError(dead.tree)).toBeLessThan(1e-9);
    });

    it('loses nothing if the query names the server', () => {
      const { matched } = rankLists(LISTS, { request: { query: 'mail' }, dead: ['/mail'] });
      expect(matched[0]!.entity).toBe('mcp_server:/mail');
      expect(ask(['/mail'], { query: 'mail' }).score).toBe(ask([], { query: 'mail' }).score);
    });

    it.each([
      'registry',
      'registry-legacy',
      'lexical',
      'linear',
      'adaptive',
      'anchored',
      'memory-legacy',
      'memory-rrf',
    ])('loses nothing in %s, as in the design it reproduces', (preset) => {
      const request = { preset, floor: 0 };
      expect(ask(['/mail'], request).score).toBe(ask([], request).score);
    });
  });
});

describe('equal scores', () => {
  const lists: Lists = {
    vector: [foundUnit({ path: '/z', vector: 0.5 })],
    keyword: [foundUnit({ path: '/a', keyword: 1 })],
  };
  const order = (preset: string) => rankLists(lists, { request: { preset } }).matched.map(({ entity }) => entity);

  it("put results of the vector leg first in the registry's presets", () => {
    expect(order('registry')).toEqual(['mcp_server:/z', 'mcp_server:/a']);
  });

  it('are ordered by id in all other presets', () => {
    expect(order('rrf')).toEqual(['mcp_server:/a', 'mcp_server:/z']);
  });
});

describe('a page that the soft cap fills up', () => {
  const LITERAL = Object.values(PRESETS).filter(({ window, perTypeCap }) => window === null && perTypeCap === null);
  const FIVE = ['/1', '/2', '/3', '/4', '/5'];

  /** Five of one type, and before the last a server: the cap of three skips the fourth. */
  function pageOf(type: 'memory' | 'skill', preset: string): readonly string[] {
    const listed = FIVE.map((path, at) => foundUnit({ path, type, keyword: 20 - at, vector: (20 - at) / 25 }));
    listed.splice(4, 0, foundUnit({ path: '/other', keyword: 16.5, vector: 16.5 / 25 }));
    const lists: Lists = { vector: listed, keyword: listed };
    const request = { preset, max_results: 5, floor: 0 };
    const { page } = rankLists(lists, { request, preset: { resort: false, softCap: 0.6 } });
    return page.map(({ entity }) => entity.slice(entity.indexOf('/')));
  }

  it.each(LITERAL.map(({ name }) => name))(
    'keeps memories in their order: a later one may be superseded (%s)',
    (preset) => {
      const memories = pageOf('memory', preset).filter((path) => path !== '/other');
      expect(memories).toEqual(['/1', '/2', '/3', '/4']);
    },
  );

  it('picks others as the design that it reproduces', () => {
    expect(pageOf('skill', 'linear')).toEqual(['/1', '/2', '/3', '/other', '/5']);
  });
});

describe('ranks', () => {
  it('count results, so that the tools of one server do not push others down', () => {
    const tools = ['a', 'b', 'c'].map((name, i) => foundUnit({ path: '/server', key: `tool:${name}`, keyword: 9 - i }));
    const { matched } = rankLists({ vector: null, keyword: [...tools, post] }, { request: { preset: 'rrf' } });
    expect(matched.map(({ best }) => best.keywordRank)).toEqual([1, 2]);
  });
});

describe('an index with few vectors', () => {
  // The only two units with a vector, and the best units by keyword.
  const near = foundUnit({ path: '/near', keyword: 1, vector: 0.9 });
  const far = foundUnit({ path: '/far', vector: 0.1 });
  const others = [5, 4, 3].map((keyword) => foundUnit({ path: `/words-${keyword}`, keyword }));
  const ask = (vectors: number) =>
    rankLists(
      { vector: [near, far], keyword: [...others, near] },
      { request: { explain: true }, evidence: { vectors, missingVectors: 100 - vectors } },
    ).matched;
  const vectorWeight = (vectors: number) =>
    partsNamed(ask(vectors)[0]!.explain!(), 'vector')[0]?.detail?.weight ??
    partsNamed(ask(vectors)[0]!.explain!(), 'vector unknown, taken as average')[0]?.detail?.weight;

  it('reduces the weight of the vector leg by the share of units with a vector', () => {
    expect(ask(100)[0]!.entity).toBe('mcp_server:/near');
    expect(ask(2)[0]!.entity).toBe('mcp_server:/words-5');
    expect(vectorWeight(2)).toBeCloseTo(Number(vectorWeight(100)) * 0.02, 9);
  });
});

describe('the displayed unit', () => {
  it('is the unit with the best score, including the share of its card', () => {
    const { matched } = rankLists(LISTS, { request: {} });
    const found = matched.find(({ entity }) => entity.endsWith('/mail'))!;
    expect(found.best.found).toBe(mail);
    expect(found.best.keyword).toBeCloseTo(0.75 * 8 + 0.25 * 5, 12);
    expect(found.best.vector).toBeCloseTo(0.75 * 0.8 + 0.25 * 0.6, 12);
    expect(found.units.map(({ found: unit }) => unit)).toEqual([mail, mailCard]);
  });

  it('is the card if the card has a better score than its tools', () => {
    const tool = foundUnit({ path: '/mail', key: 'tool:archive', keyword: 1, vector: 0.2 });
    const card = foundUnit({ path: '/mail', keyword: 9, vector: 0.9 });
    const { matched } = rankLists({ vector: [card, letters, tool], keyword: [card, post, tool] });
    expect(matched[0]!.best.found).toBe(card);
  });
});

describe('the confidence of a page', () => {
  const sure = foundUnit({ path: '/sure', keyword: 30, vector: 0.62 });
  const first = foundUnit({ path: '/first', vector: 0.64 });
  const last = foundUnit({ path: '/last', vector: 0.1 });
  const lists: Lists = { vector: [first, sure, last], keyword: [sure] };

  it.each(['hybrid', 'documents', 'memory', 'keyword', 'vector'])('never rises: %s', (preset) => {
    const { page, confidence } = rankLists(lists, { request: { preset, weights: { vector: 1, keyword: 0.0001 } } });
    const shown = page.map(confidence);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
  });

  it.each(['linear', 'recommend'])('is that of each result alone: %s', (preset) => {
    const { page, confidence } = rankLists(lists, { request: { preset, weights: { vector: 1, keyword: 0.0001 } } });
    const [one, two] = page.map(confidence);
    expect(page[0]!.entity).toContain('/first');
    expect(one).toBeLessThan(two! - 0.05);
  });
});

describe('a query that nothing is near to', () => {
  const far: Lists = { vector: [foundUnit({ path: '/far', vector: 0.1 })], keyword: [] };

  it('has no match', () => {
    expect(rankLists(far, { request: { query: 'cut my hair' } }).noMatch).toBe(true);
  });

  it('has the nearest results if it is a long text, to which no single unit is near', () => {
    const { noMatch, page } = rankLists(far, { request: { query: 'My hair is too long for the summer. '.repeat(20) } });
    expect([noMatch, page.length]).toEqual([false, 1]);
  });
});
