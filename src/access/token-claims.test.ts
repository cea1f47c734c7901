import { describe, expect, it } from 'vitest';
import type { DowserError } from '../model/errors/errors.ts';
import { type ClaimSettings, type Claims, identityOf } from './token-claims.ts';

const identity = (claims: Claims, settings: Partial<ClaimSettings> = {}) =>
  identityOf({ sub: 'ada', ...claims }, { userClaim: 'sub', groupsClaim: 'groups', groupScopes: null, ...settings });

describe('the groups of a token', () => {
  it.each<[string, string, Claims, readonly string[]]>([
    ['of a claim', 'groups', { groups: ['a', 'b'] }, ['a', 'b']],
    ['of one name', 'groups', { groups: 'a' }, ['a']],
    ['at a path', 'realm.roles', { realm: { roles: ['a'] } }, ['a']],
    ['of a claim with dots in its name', 'https://a.example/roles', { 'https://a.example/roles': ['a'] }, ['a']],
    ['without the claim', 'groups', {}, []],
    ['with only the beginning of the path', 'realm.roles', { realm: ['a'] }, []],
    ['at a path through a text', 'realm.length', { realm: 'abc' }, []],
    ['where the claim is an inherited name', 'constructor', { _claim_names: {} }, []],
    ['where the path has an inherited name', 'realm.constructor', { realm: {} }, []],
    ['where the path goes through one', '__proto__.constructor', {}, []],
  ])('%s: %s', (_, groupsClaim, claims, groups) => {
    expect(identity(claims, { groupsClaim }).groups).toEqual(groups);
  });

  it('are refused if they are no texts', () => {
    const code = () => {
      try {
        return identity({ groups: [1] }).name;
      } catch (thrown) {
        return (thrown as DowserError).code;
      }
    };
    expect(code()).toBe('UNAUTHENTICATED');
  });
});

describe('the scopes of a token', () => {
  it.each<[string, Claims, readonly string[]]>([
    ['a text', { scope: 'write read' }, ['read', 'write']],
    ['a list', { scp: ['metrics'] }, ['metrics']],
    ['both', { scope: 'read', scp: 'admin' }, ['read', 'admin']],
    ['unknown ones', { scope: 'openid readers', scp: ['write:all', 7] }, []],
    ['none', {}, []],
  ])('from %s', (_, claims, scopes) => {
    expect(identity(claims).scopes).toEqual(scopes);
  });

  it('do not limit those of the groups if all are unknown', () => {
    const groupScopes = { payments: ['write'] } as const;
    const claims = { groups: ['payments'], scope: 'openid profile' };
    expect(identity(claims, { groupScopes }).scopes).toEqual(['read', 'write']);
  });
});
