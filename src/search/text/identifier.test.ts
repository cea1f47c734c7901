import { expect, test } from 'vitest';
import { joinParts, partsOf, runsOf } from './identifier.ts';

test.each([
  ['getUserById', ['get', 'User', 'By', 'Id']],
  ['HTTPServer', ['HTTP', 'Server']],
  ['parseURLs', ['parse', 'URLs']],
  ['URLsList', ['URLs', 'List']],
  ['iOS', ['iOS']],
  ['OAuth', ['OAuth']],
  ['mcp__server__tool', ['mcp', 'server', 'tool']],
  ['v1.2', ['v1', '2']],
  ['ПриветМир', ['Привет', 'Мир']],
  ['ab\u093eCd', ['ab\u093e', 'Cd']],
  ['plain', ['plain']],
])('the parts of %s', (identifier, parts) => {
  expect(partsOf(identifier)).toEqual(parts);
});

test('splits between letters and digits, and keeps marks with their letter or digit', () => {
  expect(runsOf('oauth2client')).toEqual(['oauth', '2', 'client']);
  expect(runsOf('abc')).toEqual(['abc']);
  expect(runsOf('1\u093ea')).toEqual(['1\u093e', 'a']);
  expect(runsOf('')).toEqual([]);
});

test('removes separators except between digits', () => {
  expect(joinParts('Get_User-Id')).toBe('getuserid');
  expect(joinParts('mcp__server')).toBe('mcpserver');
  expect(joinParts('v1.2-beta')).toBe('v1.2beta');
  expect(joinParts('2024-01-15')).toBe('2024-01-15');
});
