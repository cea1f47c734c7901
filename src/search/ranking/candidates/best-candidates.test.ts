import fc from 'fast-check';
import { expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../../test/support/candidates.ts';
import { foundUnit } from '../../../../test/support/rank-lists.ts';
import { bestCandidatesFirst } from './best-candidates.ts';

const list = (maxLength: number) =>
  fc
    .array(fc.tuple(fc.nat(9), fc.constantFrom(0, 0.25, 0.5, 1, 1e-9, -1), fc.nat(2)), { maxLength })
    .map((all) =>
      all.map(([key, score, depth]) => candidateOf([scoredUnit(foundUnit({ path: `/${key}` }))], { score, depth })),
    );

it.each(['id', 'order'] as const)('sorts long and short lists like Array.sort (ties by %s)', (ties) => {
  fc.assert(
    fc.property(fc.oneof(list(20), list(600)), (candidates) => {
      const expected = [...candidates].sort(
        (a, b) =>
          a.depth - b.depth || b.score - a.score || (ties === 'order' || a.key === b.key ? 0 : a.key < b.key ? -1 : 1),
      );
      const sorted = bestCandidatesFirst([...candidates], ties);
      expect(sorted.every((candidate, i) => candidate === expected[i])).toBe(true);
    }),
  );
});
