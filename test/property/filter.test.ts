import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES, type EntityId, STATUSES } from '../../src/model/entity.ts';
import { UNIT_KINDS, type UnitId } from '../../src/model/entity-parts/unit.ts';
import { type Filter, type FilterFacts, matchesFilter } from '../../src/model/query/filter.ts';
import { RowFilter } from '../../src/search/filter/row-filter.ts';

const TAGS = ['search', 'Git Hub', ' spaced ', 'ÉTÉ', 'constructor'];
const FACET_KEYS = ['language=go', 'language=rust', 'license=mit', 'license=mit or gpl-3.0', 'collection=handbook'];
const READERS = ['public', 'user:ada', 'group:ops', 'group:dev'];
const ENTITIES = ['tool:/a', 'tool:/b', 'skill:/c', 'skill:/d'] as EntityId[];

const LABELS = ['type:decision', 'type:note', 'source:user'];
const moment = fc.integer({ min: -2, max: 2 });

const facts: fc.Arbitrary<Omit<FilterFacts, 'unit'>> = fc.record({
  id: fc.constantFrom(...ENTITIES),
  type: fc.constantFrom(...ENTITY_TYPES),
  status: fc.constantFrom(...STATUSES),
  enabled: fc.boolean(),
  tags: fc.subarray(TAGS.map((tag) => tag.trim().toLowerCase())),
  readers: fc.subarray(READERS),
  visibility: fc.constant('public'),
  facets: fc.subarray(FACET_KEYS),
  memory: fc.option(
    fc.record({
      labels: fc.subarray(LABELS),
      at: fc.option(moment),
      validFrom: fc.option(moment),
      validTo: fc.option(moment),
      certainty: fc.option(fc.constantFrom(0, 0.3, 1)),
      successor: fc.constant(null),
      hash: fc.constant(null),
    }),
  ),
  kind: fc.constantFrom(...UNIT_KINDS),
});

const ROWS = 40;
const unitOf = (row: number) => `unit#${row}` as UnitId;

const clauses: { readonly [Clause in keyof Filter]-?: fc.Arbitrary<NonNullable<Filter[Clause]>> } = {
  types: fc.subarray([...ENTITY_TYPES]),
  statuses: fc.subarray([...STATUSES]),
  enabled: fc.boolean(),
  tags: fc.array(fc.constantFrom(...TAGS, 'SEARCH', 'unknown'), { maxLength: 2 }),
  facets: fc.subarray([...FACET_KEYS, 'license=none', 'license=permissive', 'license=copyleft']),
  readers: fc.subarray([...READERS, 'user:nobody']),
  unitKinds: fc.subarray([...UNIT_KINDS]),
  entities: fc.subarray([...ENTITIES, 'tool:/nowhere' as EntityId]),
  without: fc.subarray([...ENTITIES, 'tool:/nowhere' as EntityId]),
  withoutUnits: fc.subarray(Array.from({ length: ROWS }, (_, row) => unitOf(row)).concat('unit#none' as UnitId)),
  tagsAny: fc.array(fc.constantFrom(...TAGS, 'SEARCH', 'unknown'), { maxLength: 3 }),
  collections: fc.subarray(['Handbook', 'other']),
  labels: fc.array(fc.subarray([...LABELS, 'type:unknown']), { maxLength: 2 }),
  since: moment,
  until: moment,
  startedBy: moment,
  endsAfter: moment,
  // A day has 86,400,000 of the moments above.
  certain: fc.record({
    least: fc.constantFrom(0, 0.2, 0.5, 1),
    at: moment,
    days: fc.constantFrom(1e-8, 3e-8),
  }),
};

/** At most two clauses: a filter with all of them would match nothing. */
const filter: fc.Arbitrary<Filter> = fc
  .tuple(fc.record(clauses), fc.subarray(Object.keys(clauses), { maxLength: 2 }))
  .map(([all, kept]) => Object.fromEntries(Object.entries(all).filter(([clause]) => kept.includes(clause))));

type Step = { readonly row: number; readonly facts: Omit<FilterFacts, 'unit'> | null };
const step: fc.Arbitrary<Step> = fc.record({
  row: fc.nat(ROWS - 1),
  facts: fc.option(facts, { freq: 4 }),
});

describe('RowFilter', () => {
  it('passes exactly the rows that matchesFilter passes, after any additions, replacements and removals', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 80, size: 'max' }),
        fc.array(filter, { minLength: 1 }),
        (steps, filters) => {
          const present = new Map<number, FilterFacts>();
          const index = new RowFilter(
            {
              rowsOfEntity: (id) => [...present].filter(([, facts]) => facts.id === id).map(([row]) => row),
              rowOfUnit: (unit) => [...present].find(([, facts]) => facts.unit === unit)?.[0],
            },
            3,
          );
          const check = (filter: Filter) => {
            const expected = [...present].filter(([, facts]) => matchesFilter(filter, facts)).map(([row]) => row);
            expect([...index.rows(filter)]).toEqual(expected.sort((a, b) => a - b));
          };
          for (const { row, facts } of steps) {
            const old = present.get(row);
            if (old !== undefined) index.remove(old, [{ row, kind: old.kind }]);
            present.delete(row);
            if (facts !== null) {
              const added = { ...facts, unit: unitOf(row) };
              present.set(row, added);
              index.add(added, [{ row, kind: added.kind }]);
            }
            check(filters[0]!);
          }
          for (const filter of filters) check(filter);
        },
      ),
    );
  });
});
