import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entityId } from '../../model/entity.ts';
import { searchRequestSchema } from '../../model/query.ts';
import { unitId } from '../../model/unit.ts';
import { planSearch } from '../../search/plan.ts';
import type { UnitHit } from '../../search/ranking/ranked-list.ts';
import { shownUnit } from './shown-unit.ts';
import { unitSharesOf } from './unit-shares.ts';

const PLAN = planSearch({ ...searchRequestSchema.parse({ query: 'a' }), preset: 'hybrid' });
const { rrfK } = PLAN.preset;

function hitOf([server, part]: readonly [number, number]): UnitHit {
  const entity = entityId('mcp_server', `/${server}`);
  const unit = unitId(entity, part === 0 ? 'card' : `tool:${part}`);
  return { unit, entity, type: 'mcp_server', kind: part === 0 ? 'card' : 'tool', title: `${part}`, score: 1 };
}

const list = fc
  .uniqueArray(fc.tuple(fc.nat(4), fc.nat(3)), { selector: ([server, part]) => `${server} ${part}` })
  .map((places) => places.map(hitOf));
const page = new Map([0, 1, 2].map((server) => [entityId('mcp_server', `/${server}`), null]));

it('gives each unit of the page what its places in the lists are worth, of the best there could be', () => {
  fc.assert(
    fc.property(list, fc.option(list), (keyword, vector) => {
      const shares = unitSharesOf(PLAN, { keyword, vector }, page);
      const legs = vector === null ? [keyword] : [keyword, vector];
      expect([...shares.keys()]).toEqual([...page.keys()]);
      for (const [entity, units] of shares) {
        const own = legs.flat().filter((hit) => hit.entity === entity);
        expect(units.map(({ hit }) => hit.unit)).toEqual([...new Set(own.map(({ unit }) => unit))]);
        for (const { hit, share } of units) {
          const places = legs.map((leg) => leg.findIndex((other) => other.unit === hit.unit)).filter((at) => at >= 0);
          const worth = places.reduce((sum, at) => sum + 1 / (rrfK + at + 1), 0);
          expect(share).toBeCloseTo(Math.min(1, (worth * (rrfK + 1)) / legs.length), 12);
        }
      }
    }),
  );
});

it('shows the part that both legs together found best, and a card only where it is far better', () => {
  const [card, first, second] = [hitOf([0, 0]), hitOf([0, 1]), hitOf([0, 2])];
  const shown = (keyword: readonly UnitHit[], vector: readonly UnitHit[]) => {
    const leg = { hit: keyword[0]!, unitScore: 1, detail: undefined, score: 1, rank: 1 };
    const candidate = { key: card.entity, entity: card.entity, type: card.type, score: 1, confidence: 1 };
    const shares = unitSharesOf(PLAN, { keyword, vector }, page);
    return shownUnit({ ...candidate, keyword: leg, vector: undefined, explain: undefined }, shares).key;
  };
  expect(shown([first, second], [second])).toBe('tool:2');
  expect(shown([card, first], [card, first])).toBe('tool:1');
  expect(shown([card], [card, first])).toBe('card');
});
