import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ENTITY_TYPES, STATUSES } from '../../model/entity.ts';
import { UNIT_KINDS } from '../../model/entity-parts/unit.ts';
import { type Filter, type FilterFacts, matchesFilter } from '../../model/query/filter.ts';
import { payloadOf } from './point.ts';
import { type Condition, serverFilter, toConditions } from './qdrant-filter.ts';

const some = <T>(values: readonly T[]) => fc.subarray([...values]);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const TAGS = ['pdf', 'Mail', 'a\\b', '\ud800'];
const READERS = ['public', 'user:ann', 'group:x'];

const facts = fc.record({
  type: fc.constantFrom(...ENTITY_TYPES),
  kind: fc.constantFrom(...UNIT_KINDS),
  status: fc.constantFrom(...STATUSES),
  enabled: fc.boolean(),
  tags: some(TAGS.map((tag) => tag.toLowerCase())),
  readers: some(READERS),
});

const filter = fc.record({
  types: maybe(some([...ENTITY_TYPES, 'server_tool' as const])),
  unitKinds: maybe(some(UNIT_KINDS)),
  statuses: maybe(some(STATUSES)),
  enabled: maybe(fc.boolean()),
  tags: maybe(some(TAGS)),
  tagsAny: maybe(some(TAGS)),
  readers: maybe(some(READERS)),
});

/** What Qdrant does with a condition. */
function holds(condition: Condition, payload: Readonly<Record<string, unknown>>): boolean {
  if ('has_id' in condition) return false;
  const { key, match } = condition;
  const values = [payload[key]].flat();
  return 'any' in match ? match.any.some((one) => values.includes(one)) : values.includes(match.value);
}

it('lets the same points through as the filter itself', () => {
  fc.assert(
    fc.property(facts, filter, (given, wanted) => {
      const id = `${given.type}:/x`;
      const unit = { row: 0, id: `${id}#card`, entity: id, title: '', textHash: '', ...given } as never;
      const payload = payloadOf(unit, given as never);
      const defined = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as Filter;
      const passes = toConditions(serverFilter(defined).known).every((one) => holds(one, payload as never));
      expect(passes).toBe(matchesFilter(defined, given as unknown as FilterFacts));
    }),
    { numRuns: 2000 },
  );
});

it('says whether Qdrant knows all of a filter', () => {
  expect(serverFilter({ tags: ['a'], enabled: true })).toEqual({
    known: { tags: ['a'], enabled: true },
    isWhole: true,
  });
  expect(serverFilter({ tags: ['a'], without: [] })).toEqual({ known: { tags: ['a'] }, isWhole: false });
  expect(serverFilter({ facets: ['x'] })).toEqual({ known: {}, isWhole: false });
});
