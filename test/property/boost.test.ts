import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Unit } from '../../src/model/entity-parts/unit.ts';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { BoostIndex } from '../../src/search/keyword/boost/boost-index.ts';
import { type BoostedEntity, textBoost, textBoostEach } from '../../src/search/keyword/boost/text-boost.ts';
import { analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { boostTokens } from '../../src/search/text/boost-tokens.ts';
import { addUpError } from '../support/add-up-error.ts';
import { boostIndex } from '../support/small-pages.ts';

/** Pieces of words: substrings of one another, symbols, cases, scripts, and letters that change when lower-cased. */
const PIECES = [
  'search',
  'Search',
  'res',
  'sea',
  'flight_',
  'flights',
  '-',
  ' ',
  '.',
  '東京都',
  'İst',
  'i\u0307st',
  'IST',
  'ΟΔΟΣ',
  'οδος',
  'aaaa',
  '𝒜bc',
  'é',
  'e\u0301',
];
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const entity: fc.Arbitrary<BoostedEntity> = fc.record({
  path: text,
  name: text,
  description: text,
  tags: fc.array(text, { maxLength: 3 }),
  metadataText: text,
  tools: fc.array(fc.record({ name: text, description: text }), { maxLength: 3 }),
});

/** The rows of an entity: its card, then its tools. The spacing keeps entities apart. */
const SPACING = 4;
const cardRowOf = (slot: number) => slot * SPACING;

function unitsOf(of: BoostedEntity): readonly Unit['fields'][] {
  const card = {
    path: of.path,
    name: of.name,
    description: of.description,
    tags: of.tags.join('\n'),
    metadata: of.metadataText,
    tools: of.tools.map((tool) => `${tool.name} ${tool.description}`).join('\n'),
    body: of.description,
  };
  return [card, ...of.tools.map((tool) => ({ name: tool.name, description: tool.description, path: of.path }))];
}

function addTo(index: BoostIndex, slot: number, of: BoostedEntity): void {
  const cardRow = cardRowOf(slot);
  unitsOf(of).forEach((fields, i) => {
    index.add(cardRow + i, analyzeUnit(fields), { cardRow, kind: i === 0 ? 'card' : 'tool' });
  });
}

function removeFrom(index: BoostIndex, slot: number, of: BoostedEntity): void {
  unitsOf(of).forEach((fields, i) => {
    index.remove(cardRowOf(slot) + i, analyzeUnit(fields));
  });
}

const compareRows = (a: number, b: number) => b - a;
const writes = fc.array(fc.tuple(fc.nat(7), fc.option(entity, { nil: undefined })), { maxLength: 16 });
const query = fc.array(text, { maxLength: 3 }).map((words) => words.join(' '));

test('the index gives exactly the boosts of textBoost, after any writes', () => {
  fc.assert(
    fc.property(writes, query, fc.option(fc.uniqueArray(fc.nat(7))), fc.nat(6), (history, asked, slots, limit) => {
      const index = boostIndex();
      const stored = new Map<number, BoostedEntity>();
      for (const [slot, next] of history) {
        const old = stored.get(slot);
        if (old !== undefined) removeFrom(index, slot, old);
        stored.delete(slot);
        if (next !== undefined) {
          addTo(index, slot, next);
          stored.set(slot, next);
        }
      }
      const tokens = boostTokens(asked);
      const eligible = slots === null ? null : Bitset.of(slots.map(cardRowOf));
      const expected = Array.from(stored, ([slot, of]) => ({ row: cardRowOf(slot), score: textBoost(tokens, of) }))
        .filter(({ row, score }) => score > 0 && (eligible === null || eligible.has(row)))
        .sort((a, b) => b.score - a.score || b.row - a.row)
        .slice(0, limit);
      for (const candidate of [index, BoostIndex.fromParts(index.toParts())]) {
        expect(candidate.search(tokens, { eligible, limit, compareRows })).toEqual({
          rows: expected.map(({ row }) => row),
          scores: expected.map(({ score }) => score),
        });
      }
      const rows = Array.from(stored.keys(), cardRowOf);
      const scores = index.scoreRows(tokens, rows);
      expect(scores).toEqual([...stored.values()].map((of) => textBoost(tokens, of)));
      const explained = rows.map((row) => index.explain(tokens, row));
      expect(explained.map(({ value }) => value)).toEqual(scores);
      expect(Math.max(0, ...explained.map(addUpError))).toBe(0);
      const each = index.boostsForEach(tokens);
      expect(rows.map((row) => each.get(row) ?? 0)).toEqual(
        [...stored.values()].map((of) => textBoostEach(tokens, of)),
      );
      expect(rows.map((row) => index.explainEach(tokens, row).value)).toEqual(rows.map((row) => each.get(row) ?? 0));
    }),
    { numRuns: 500 },
  );
});
