import { expect, it } from 'vitest';
import { entitiesOfFile } from './entities-of-file.ts';

const a = { type: 'skill', path: '/a', name: 'A' };
const b = { type: 'skill', path: '/b', name: 'B' };

it.each([
  ['one entity', JSON.stringify(a, null, 2), [a]],
  ['a list', JSON.stringify([a, b]), [a, b]],
  ['a batch', JSON.stringify({ entities: [a, b] }), [a, b]],
  ['JSON Lines', `${JSON.stringify(a)}\n\n${JSON.stringify(b)}\n`, [a, b]],
  ['records of an export', `${JSON.stringify({ entity: a })}\n${JSON.stringify({ entity: b })}`, [a, b]],
])('reads %s', (_, text, entities) => {
  expect(entitiesOfFile(text)).toEqual(entities);
});

it('names the line that is wrong', () => {
  expect(() => entitiesOfFile(`${JSON.stringify(a)}\n{oops}\n`)).toThrow('Line 2 is not a JSON object.');
  expect(() => entitiesOfFile('[1]')).toThrow('Item 1 is not a JSON object.');
});
