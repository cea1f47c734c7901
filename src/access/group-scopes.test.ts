import { expect, it } from 'vitest';
import type { Scope } from '../model/caller/caller.ts';
import { type GroupScopes, scopesOf } from './group-scopes.ts';

const MAP: GroupScopes = { payments: ['write'], platform: ['admin'] };

it.each<[string, GroupScopes | null, string[], Scope[], string]>([
  ['the token, without a map', null, ['payments'], ['read'], 'read'],
  ['the groups', MAP, ['payments'], [], 'read write'],
  ['what groups and token both allow', MAP, ['payments'], ['read'], 'read'],
  ['no group of the map: none, whatever the token says', MAP, ['strangers'], ['admin'], ''],
  ['an empty map: none', {}, ['payments'], ['admin'], ''],
  ['a group with the name of a method: none', MAP, ['constructor', '__proto__', 'toString'], [], ''],
])('scopes are those of %s', (_, map, groups, ofToken, expected) => {
  expect([...scopesOf(map, groups, ofToken)].sort().join(' ')).toBe(expected);
});
