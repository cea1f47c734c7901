import fc from 'fast-check';
import { expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../../test/support/candidates.ts';
import { foundUnit } from '../../../../test/support/rank-lists.ts';
import type { EntityId } from '../../../model/entity.ts';
import { rescored } from '../candidates/candidate.ts';
import { belowSuccessors } from './below-successors.ts';

/** One chain, the oldest memory first, with these scores. */
function chainOf(scores: readonly number[]) {
  const candidates = scores.map((score, n) => candidateOf([scoredUnit(foundUnit({ path: `/${n}` }))], { score }));
  const successors = new Map<EntityId, EntityId>();
  for (const [n, { entity }] of candidates.slice(1).entries()) successors.set(candidates[n]!.entity, entity);
  return { candidates, successors };
}

it('orders a chain of any length, the newest memory first', () => {
  const { candidates, successors } = chainOf(Array.from({ length: 50_000 }, () => 1));
  const ordered = belowSuccessors(candidates, successors);
  expect(ordered.map(({ key }) => key)).toEqual(candidates.map(({ key }) => key).reverse());
});

it('gives the newest memory of a chain the best score of them, in whatever order they were found', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { minLength: 2, maxLength: 8 }), fc.infiniteStream(fc.nat()), (scores, order) => {
      const { candidates, successors } = chainOf(scores);
      const found = candidates
        .map((candidate) => ({ candidate, at: order.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ candidate }) => candidate);
      const ordered = belowSuccessors(found, successors);
      expect(ordered.map(({ key }) => key)).toEqual(candidates.map(({ key }) => key).reverse());
      const bestUpTo = (n: number) => Math.max(...scores.slice(0, n + 1));
      for (const [at, { score }] of ordered.entries()) {
        expect(score).toBeCloseTo(bestUpTo(scores.length - 1 - at), 4);
      }
    }),
  );
});

it('moves a successor that only a deeper search finds to the depth of what it supersedes', () => {
  const { candidates, successors } = chainOf([0.5, -0.9]);
  const found = candidates.map((candidate, depth) => rescored(candidate, candidate.score, undefined, depth));
  const ordered = belowSuccessors(found, successors);
  expect(ordered.map(({ entity, depth }) => [entity, depth])).toEqual([
    [candidates[1]!.entity, 0],
    [candidates[0]!.entity, 0],
  ]);
});
