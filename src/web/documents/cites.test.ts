import { expect, it } from 'vitest';
import { answerParts } from './cites.ts';

const shown = (answer: string, count: number) =>
  answerParts(answer, count).map((part) => (part.kind === 'text' ? part.text : part.numbers));

it.each([
  ['Boil it [1].', 2, ['Boil it ', [1], '.']],
  ['Yes [1][2] and [1, 2].', 2, ['Yes ', [1], [2], ' and ', [1, 2], '.']],
  ['An array a[3] of [0] and [1, 9].', 2, ['An array a[3] of [0] and [1, 9].']],
  ['[2]', 2, [[2]]],
  ['Half [1', 2, ['Half [1']],
  ['No source [1].', 0, ['No source [1].']],
  ['', 3, []],
] as const)('links only sources that are there: %s', (answer, count, parts) => {
  expect(shown(answer, count)).toEqual(parts);
});

it('loses nothing of an answer', () => {
  const answer = 'a [1] b [x] c [3,1] d [99] e';
  const joined = answerParts(answer, 3).map((part) => (part.kind === 'text' ? part.text : `[${part.numbers}]`));
  expect(joined.join('')).toBe(answer);
});
