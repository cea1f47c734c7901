import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foundUnit, retrievedOf } from '../../../test/support/rank-lists.ts';
import { type FoundUnit, resultKey } from '../retrieval/retrieval.ts';
import type { ResultUnits } from './candidates/candidate.ts';
import { CARD_SHARE } from './candidates/candidate.ts';
import { scoreUnits } from './score-units.ts';

const PLAIN = { toolsAsResults: false, cards: false };
const NO_LISTS = { keyword: [], vector: null };
type Scores = { readonly keyword?: number; readonly vector?: number };
const CARDS = { toolsAsResults: false, cards: true };

/** Distinct units of a few servers, in the list of one leg, of both or of none. */
const pool = fc
  .uniqueArray(fc.record({ server: fc.nat(4), part: fc.nat(3), lists: fc.nat(3), at: fc.nat() }), {
    selector: ({ server, part }) => `${server} ${part}`,
  })
  .map((places) =>
    places.map(({ server, part, lists, at }) => {
      const found = foundUnit({ path: `/${server}`, key: part === 0 ? 'card' : `tool:${part}` });
      return { found, inKeyword: (lists & 1) !== 0, inVector: (lists & 2) !== 0, at };
    }),
  );

/** 1 + the number of other results before the unit in the list. */
function rankIn(list: readonly FoundUnit[], found: FoundUnit, query: typeof PLAIN): number | null {
  const at = list.indexOf(found);
  return at < 0 ? null : new Set(list.slice(0, at).map((other) => resultKey(query, other))).size + 1;
}

describe('scoreUnits', () => {
  it('groups all units by result, in the order of retrieval, with ranks that count results', () => {
    fc.assert(
      fc.property(pool, fc.boolean(), fc.boolean(), (units, toolsAsResults, hasVector) => {
        const query = { ...PLAIN, toolsAsResults };
        const listed = (which: 'inKeyword' | 'inVector') =>
          units.filter((unit) => unit[which]).sort((a, b) => a.at - b.at || 0);
        const keyword = listed('inKeyword').map(({ found }) => found);
        const vector = hasVector ? listed('inVector').map(({ found }) => found) : null;
        const retrieved = retrievedOf({ keyword, vector, others: units.map(({ found }) => found) });
        const results = scoreUnits(query, retrieved);
        const keyOf = ({ units: [first], isPart }: ResultUnits) => (isPart ? first!.found.unit : first!.found.entity);
        expect(results.map(keyOf)).toEqual([...new Set(retrieved.units.map((found) => resultKey(query, found)))]);
        for (const result of results) {
          const { units: own } = result;
          const key = keyOf(result);
          expect(own.map(({ found }) => found)).toEqual(
            retrieved.units.filter((found) => resultKey(query, found) === key),
          );
          for (const { found, keywordRank, vectorRank, score } of own) {
            expect([keywordRank, vectorRank, score]).toEqual([
              rankIn(keyword, found, query),
              vector === null ? null : rankIn(vector, found, query),
              null,
            ]);
          }
        }
      }),
    );
  });

  it('adds the share of the card; without a score the card counts 0 by keyword and nothing by vector', () => {
    const scores = (part: Scores, card: Scores, query = CARDS) => {
      const units = [foundUnit({ path: '/s', key: 'tool:a', ...part }), foundUnit({ path: '/s', ...card })];
      return scoreUnits(query, retrievedOf({ ...NO_LISTS, others: units }))[0]!.units.map(({ keyword, vector }) => [
        keyword,
        vector,
      ]);
    };
    const mixed = (own: number, card: number) => (1 - CARD_SHARE) * own + CARD_SHARE * card;
    const [own, card] = [
      { keyword: 8, vector: 0.5 },
      { keyword: 4, vector: 0.1 },
    ];
    expect(scores(own, card)).toEqual([
      [mixed(8, 4), mixed(0.5, 0.1)],
      [4, 0.1],
    ]);
    expect(scores(own, {})).toEqual([
      [mixed(8, 0), 0.5],
      [null, null],
    ]);
    expect(scores({}, card)).toEqual([
      [null, null],
      [4, 0.1],
    ]);
    expect(scores(own, { keyword: 0, vector: 0 })[0]).toEqual([mixed(8, 0), mixed(0.5, 0)]);
    expect(scores(own, card, PLAIN)).toEqual([
      [8, 0.5],
      [4, 0.1],
    ]);
  });

  it('adds nothing without a card; the card of a server is no result in a search for tools, but counts for each', () => {
    const tool = foundUnit({ path: '/s', key: 'tool:a', keyword: 8, vector: 0.5 });
    const other = foundUnit({ path: '/s', key: 'tool:b', keyword: 2, vector: 0.2 });
    const card = foundUnit({ path: '/s', keyword: 4, vector: 0.1 });
    const scoresOf = (units: readonly FoundUnit[], toolsAsResults: boolean) =>
      scoreUnits({ cards: true, toolsAsResults }, retrievedOf({ ...NO_LISTS, others: units })).map(({ units: own }) =>
        own.map(({ keyword }) => keyword),
      );
    expect(scoresOf([tool, other], false)).toEqual([[8, 2]]);
    expect(scoresOf([tool, other], true)).toEqual([[8], [2]]);
    expect(scoresOf([tool, other, card], true)).toEqual([[0.75 * 8 + 0.25 * 4], [0.75 * 2 + 0.25 * 4]]);
  });
});
