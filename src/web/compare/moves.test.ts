import { expect, it } from 'vitest';
import { movesOf, moveText } from './moves.ts';

it('says how far each result moved', () => {
  const moves = movesOf(['a', 'b', 'c', 'd'], ['a', 'd', 'x', 'b']);
  expect(moves.map(moveText)).toEqual(['=', '▲ 2', 'only here', '▼ 2']);
  expect(movesOf([], [])).toEqual([]);
});
