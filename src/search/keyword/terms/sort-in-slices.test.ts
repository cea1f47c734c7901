import { expect, it } from 'vitest';
import { FuzzyTerms } from './fuzzy-terms.ts';
import { mergeInSlices, sortInSlices } from './sort-in-slices.ts';

function run<T>(work: Generator<void, T>): { readonly value: T; readonly slices: number } {
  for (let slices = 0; ; slices++) {
    const slice = work.next();
    if (slice.done === true) return { value: slice.value, slices };
  }
}

const terms = (count: number) => Array.from({ length: count }, (_, n) => `t${(n * 7919) % count}`);

it('sorts as one sort does, in slices', () => {
  for (const count of [0, 1, 10_000, 45_001]) {
    const { value, slices } = run(sortInSlices(terms(count)));
    expect(value).toEqual(terms(count).sort());
    expect(slices).toBeGreaterThanOrEqual(Math.floor(count / 10_000));
  }
});

it('merges two lists, and has a term of both once', () => {
  expect(run(mergeInSlices(['a', 'c', 'e'], ['b', 'c', 'f'])).value).toEqual(['a', 'b', 'c', 'e', 'f']);
});

it('merges a few terms into many in slices', () => {
  const many = terms(100_000).sort();
  for (const few of [['a'], ['t5x'], ['u'], []]) expect(run(mergeInSlices(many, few)).slices).toBe(10);
});

it('finds the terms of a large write when they have units, also if a search came in between', () => {
  const fuzzy = new FuzzyTerms();
  const known = new Set(['harbor']);
  fuzzy.add('harbor');
  const created = [...terms(15_000).map((term) => `x${term}`), 'lamp'];
  const adding = fuzzy.addAll(created);
  const found = (term: string, isVisible: boolean) => {
    const frequencyOf = (each: string) => Number(known.has(each) || (isVisible && created.includes(each)));
    return fuzzy.similarTo(term, frequencyOf, () => true).map((match) => match.term);
  };
  adding.next();
  expect([found('lam', false), found('harbr', false)]).toEqual([[], ['harbor']]);
  run(adding).value();
  expect([found('lam', false), found('lam', true), found('harbr', true)]).toEqual([[], ['lamp'], ['harbor']]);
});
