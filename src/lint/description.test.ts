import { expect, it } from 'vitest';
import { checkDescription } from './description.ts';

const described = { type: 'object', properties: { city: { type: 'string', description: 'The city.' } } };

it.each([
  [{ description: 'Get the weather forecast of a city.', inputSchema: described }, []],
  [{ description: 'Retrieves and lists all the files of a folder.' }, []],
  [{ description: 'Querying a database with a statement in SQL.' }, []],
  [{}, ['No description.']],
  [{ description: 'Get weather' }, ['The description has 11 characters.']],
  [{ description: 'The weather forecast of any city in the world.' }, ['The description does not begin with a verb.']],
  [{ description: `Get ${'the weather '.repeat(100)}` }, ['The description has 1203 characters.']],
  [
    {
      description: 'Get the weather forecast of a city.',
      inputSchema: { properties: { a: {}, b: { type: 'string' } } },
    },
    ['Parameters without a description: a, b.'],
  ],
  [{ description: 'Get the weather forecast of a city.', inputSchema: 'no schema' }, []],
])('finds what is weak in %j', (tool, problems) => {
  expect(checkDescription({ name: 'forecast', ...tool }).map(({ problem }) => problem)).toEqual(problems);
});

it('names a few parameters, and counts the others', () => {
  const properties = Object.fromEntries('abcdefg'.split('').map((name) => [name, {}]));
  const [hint] = checkDescription({
    name: 'x',
    description: 'Get the weather forecast of a city.',
    inputSchema: { properties },
  });
  expect(hint?.problem).toBe('Parameters without a description: a, b, c, d, e and 2 more.');
});
