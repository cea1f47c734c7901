import { expect, test } from 'vitest';
import { joinedWhole, partsOf, runsOf } from './identifier.ts';

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

test('runs are cut where letters meet digits, and marks stay with what they mark', () => {
  expect(runsOf('oauth2client')).toEqual(['oauth', '2', 'client']);
  expect(runsOf('abc')).toEqual(['abc']);
  expect(runsOf('1\u093ea')).toEqual(['1\u093e', 'a']);
  expect(runsOf('')).toEqual([]);
});

test('a whole has no joiners except between digits', () => {
  expect(joinedWhole('Get_User-Id')).toBe('getuserid');
  expect(joinedWhole('mcp__server')).toBe('mcpserver');
  expect(joinedWhole('v1.2-beta')).toBe('v1.2beta');
  expect(joinedWhole('2024-01-15')).toBe('2024-01-15');
});
