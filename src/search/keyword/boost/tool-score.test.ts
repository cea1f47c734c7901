import { expect, test } from 'vitest';
import { toolScore } from './tool-score.ts';

test.each([
  ['TL-1 one token, in the name', 'web_search', '', ['search'], 0.65],
  ['TL-2 one token, in the description', 'fetch_page', 'Runs a search later', ['search'], 0.51],
  ['TL-3 no match', 'get_weather', 'Returns forecast', ['database'], 0],
  ['TL-4 two tokens, both in the name', 'search_docs', 'Search documentation', ['search', 'docs'], 1],
  ['TL-5 half of the tokens', 'search_docs', 'Search documentation', ['search', 'weather'], 0.5],
  ['TL-6 half of the tokens, in the description', 'find', 'search docs', ['search', 'weather'], 0.36],
  ['TL-6 all tokens, in the description', 'find', 'search docs', ['search', 'docs'], 0.72],
  ['TL-7 two of three tokens', 'aaa_bbb', '', ['aaa', 'bbb', 'ccc'], 0.9],
  ['TL-7 the third in the description', 'aaa_bbb', 'ccc', ['aaa', 'bbb', 'ccc'], 1],
  ['TL-8 no tokens', 'any', 'any', [], 0],
  ['TL-9 ignores the name of its server', 'getStats', 'Get activity stats', ['strava'], 0],
])('%s', (_, name, description, tokens, score) => {
  expect(toolScore(tokens, { name, description })).toBe(score);
});

test('a repeated token counts twice', () => {
  expect(toolScore(['search', 'search', 'weather'], { name: 'search', description: '' })).toBe(0.9);
});
