import { expect, it } from 'vitest';
import { splitHashtags } from './query-text.ts';

it.each([
  ['#Prod flags', 'flags', ['prod']],
  ['  find   a tool ', 'find a tool', []],
  ['#a #b #a', '', ['a', 'b']],
  ['C# client', 'C# client', []],
  ['issue # 5', 'issue # 5', []],
  ['größe #münchen-süd', 'größe', ['münchen-süd']],
  ['#a#b c', 'c', ['a', 'b']],
  ['#हिन्दी कविता', 'कविता', ['हिन्दी']],
  ['', '', []],
])('TAG-1: %j has the text %j and the tags %j', (query, text, hashtags) => {
  expect(splitHashtags(query)).toEqual({ text, hashtags });
});

it('keeps unknown tags as text, with their #', () => {
  const split = splitHashtags('click #loginButton on #Web pages', (tag) => tag === 'web');
  expect(split).toEqual({ text: 'click #loginButton on pages', hashtags: ['web'] });
});
