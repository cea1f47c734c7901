import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcSettings, OidcTokens } from '../../src/access/oidc-tokens.ts';
import type { DowserError } from '../../src/model/errors/errors.ts';
import { type AccessServer, AUDIENCE, accessServer } from '../support/access-server.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer({ robot: ['payments'] });
});
afterAll(() => issuer.close());

const settings = (more: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer: issuer.url,
  audiences: [AUDIENCE],
  algorithms: ['RS256', 'ES256'],
  clockSkewSeconds: 60,
  userClaim: 'sub',
  groupsClaim: 'groups',
  groupScopes: null,
  cooldownMs: 0,
  ...more,
});
const tokens = (more: Partial<OidcSettings> = {}) => new OidcTokens(settings(more));
const codeOf = (token: string, of = tokens()) =>
  of.identify(token).then(
    () => 'accepted',
    (thrown: DowserError) => `${thrown.code}: ${thrown.message}`,
  );
const GOOD = { sub: 'ada', aud: AUDIENCE, scope: 'read write', groups: ['payments'] };
const HOUR = 3600;
const seconds = (moment: number) => Math.floor(moment / 1000);

describe('a token of the issuer', () => {
  it('makes a caller with its user, groups and scopes', async () => {
    const caller = await tokens().identify(await issuer.token(AUDIENCE, 'read write'));
    expect(caller).toEqual({
      name: 'robot',
      readers: ['public', 'user:robot', 'group:payments'],
      scopes: ['read', 'write'],
    });
  });

  it('has the scopes of its groups, and of those only what it names', async () => {
    const groupScopes = { payments: ['read', 'write'], platform: ['admin'], nobody: ['admin'] } as const;
    const scopesOf = async (claims: object) =>
      (await tokens({ groupScopes }).identify(await issuer.sign({ ...GOOD, ...claims }))).scopes;
    expect(await scopesOf({ scope: undefined })).toEqual(['read', 'write']);
    expect(await scopesOf({ scope: 'openid read' })).toEqual(['read']);
    expect(await scopesOf({ scope: 'admin' })).toEqual(['read', 'write']);
    const all = ['read', 'write', 'admin', 'metrics', 'call:read', 'call:write', 'call:destructive'];
    expect(await scopesOf({ scope: undefined, groups: ['platform'] })).toEqual(all);
    expect(await scopesOf({ scope: 'metrics', groups: ['platform'] })).toEqual(['metrics']);
    expect(await scopesOf({ scope: 'metrics' })).toEqual([]);
    expect(await scopesOf({ scope: 'admin', groups: ['__proto__', 'constructor'] })).toEqual([]);
    expect(await scopesOf({ scope: 'admin', groups: [] })).toEqual([]);
  });

  it('may name its groups in a claim inside another, and its scopes as a list', async () => {
    const nested = { sub: 'ada', aud: AUDIENCE, scp: ['write'], realm_access: { roles: ['a', 'b'] } };
    const caller = await tokens({ groupsClaim: 'realm_access.roles' }).identify(await issuer.sign(nested));
    expect(caller.readers).toEqual(['public', 'user:ada', 'group:a', 'group:b']);
    expect(caller.scopes).toEqual(['read', 'write']);
  });

  it.each([
    ['no user', { sub: undefined }, 'UNAUTHENTICATED'],
    ['the name of a key', { sub: 'key:ci' }, 'UNAUTHENTICATED'],
    ['the name of the local user', { sub: 'local' }, 'UNAUTHENTICATED'],
    ['the name of callers without credentials', { sub: 'anonymous' }, 'UNAUTHENTICATED'],
    ['groups that are no list', { groups: { a: 1 } }, 'UNAUTHENTICATED'],
    ['another audience', { aud: 'https://other.example.com' }, "UNAUTHENTICATED: The claim 'aud'"],
    ['no audience', { aud: undefined }, "UNAUTHENTICATED: The claim 'aud'"],
    ['another issuer', { iss: 'https://other.example.com' }, "UNAUTHENTICATED: The claim 'iss'"],
    ['its groups elsewhere', { groups: undefined, _claim_names: { groups: 'src1' } }, 'FORBIDDEN'],
    ['only a sign of groups', { groups: undefined, hasgroups: true }, 'FORBIDDEN'],
  ])('with %s is refused', async (_, claims, code) => {
    expect(await codeOf(await issuer.sign({ ...GOOD, ...claims }))).toContain(code);
  });

  it('is refused outside its time, with some tolerance for clocks', async () => {
    const now = seconds(Date.parse((await fetch(issuer.url)).headers.get('date')!));
    expect(await codeOf(await issuer.sign(GOOD, { expires: now - 30 }))).toBe('accepted');
    expect(await codeOf(await issuer.sign(GOOD, { expires: now - HOUR }))).toBe(
      'UNAUTHENTICATED: The token has expired.',
    );
    expect(await codeOf(await issuer.sign(GOOD, { notBefore: now + HOUR }))).toContain("The claim 'nbf'");
    expect(await codeOf(await issuer.sign(GOOD, { expires: null }))).toContain("The claim 'exp'");
  });

  it('is refused if it is not signed, or signed with the public key as a secret', async () => {
    const unsigned = new UnsecuredJWT(GOOD).setIssuer(issuer.url).setExpirationTime('5m').encode();
    expect(await codeOf(unsigned)).toContain('UNAUTHENTICATED');
    const secret = new TextEncoder().encode(await issuer.publicKey());
    const forged = await new SignJWT(GOOD)
      .setProtectedHeader({ alg: 'HS256', kid: 'first' })
      .setIssuer(issuer.url)
      .setExpirationTime('5m')
      .sign(secret);
    expect(await codeOf(forged)).toBe('UNAUTHENTICATED: The algorithm of the token is not accepted.');
    const cut = (await issuer.sign(GOOD)).replace(/.{8}$/, 'AAAAAAAA');
    expect(await codeOf(cut)).toBe('UNAUTHENTICATED: The token is not valid.');
    expect(await codeOf(`${'a'.repeat(20_000)}.b.c`)).toContain('UNAUTHENTICATED');
    expect(await codeOf('a.b.c')).toContain('UNAUTHENTICATED');
  });

  it('must be signed with an accepted algorithm', async () => {
    expect(await codeOf(await issuer.sign(GOOD), tokens({ algorithms: ['ES256'] }))).toContain('algorithm');
  });
});

describe('the keys of the issuer', () => {
  it('are read once, and again when a token names a new one', async () => {
    const of = tokens();
    const before = issuer.keyRequests();
    for (let n = 0; n < 5; n++) expect(await codeOf(await issuer.sign(GOOD), of)).toBe('accepted');
    expect(issuer.keyRequests() - before).toBe(1);
    const old = await issuer.sign(GOOD);
    await issuer.rotate();
    expect(await codeOf(await issuer.sign(GOOD), of)).toBe('accepted');
    expect(issuer.keyRequests() - before).toBe(2);
    expect(await codeOf(old, of)).toBe('UNAUTHENTICATED: The token is not valid.');
  });

  it('are not asked for again at once by tokens that name none', async () => {
    const of = tokens({ cooldownMs: 60_000 });
    await codeOf(await issuer.sign(GOOD), of);
    const before = issuer.keyRequests();
    await issuer.rotate();
    for (let n = 0; n < 5; n++) expect(await codeOf(await issuer.sign(GOOD), of)).toContain('UNAUTHENTICATED');
    expect(issuer.keyRequests()).toBe(before);
  });

  it('fail closed while they cannot be read, and work again afterwards', async () => {
    const of = tokens();
    const token = await issuer.sign(GOOD);
    issuer.setDown(true);
    expect(await codeOf(token, of)).toContain('AUTH_UNAVAILABLE');
    issuer.setDown(false);
    expect(await codeOf(token, of)).toBe('accepted');
    await issuer.rotate();
    const next = await issuer.sign(GOOD);
    issuer.setDown(true);
    expect(await codeOf(next, of)).toContain('AUTH_UNAVAILABLE');
    issuer.setDown(false);
    expect(await codeOf(next, of)).toBe('accepted');
  });

  /** What a token gets while the issuer at `url` answers in this way. */
  async function refusalWhere(answer: (url: string, path: string) => { location?: string; document?: object }) {
    const server = createServer((request, response) => {
      const { location, document } = answer(url, request.url!);
      const head = location === undefined ? {} : { Location: location };
      response.writeHead(location === undefined ? 200 : 302, { 'Content-Type': 'application/json', ...head });
      response.end(JSON.stringify(document));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const thrown: unknown = await tokens({ issuer: url })
      .identify(await issuer.sign(GOOD))
      .catch((error: unknown) => error);
    server.close();
    return thrown;
  }

  it('are not read over http from another machine', async () => {
    const thrown = await refusalWhere((url) => ({ document: { issuer: url, jwks_uri: 'http://keys.invalid/jwks' } }));
    expect(thrown).toMatchObject({ code: 'AUTH_UNAVAILABLE', cause: { message: 'the jwks_uri is not https' } });
  });

  it('are not read where the issuer redirects to', async () => {
    const thrown = await refusalWhere((url, path) =>
      path === '/moved' ? { document: { issuer: url, jwks_uri: `${url}/jwks` } } : { location: '/moved' },
    );
    expect(thrown).toMatchObject({ code: 'AUTH_UNAVAILABLE', cause: { message: 'fetch failed' } });
  });

  it('must be those of the issuer that is named', async () => {
    expect(await codeOf(await issuer.sign(GOOD), tokens({ issuer: `${issuer.url}/` }))).toContain('AUTH_UNAVAILABLE');
  });
});

describe('a server with an issuer', () => {
  let server: AccessServer;
  beforeAll(async () => {
    server = await accessServer({ oidc_issuer: issuer.url });
    await server.registry.put({
      type: 'skill',
      path: '/paid',
      name: 'paid',
      description: 'x',
      visibility: 'group-restricted',
      allowed_groups: ['payments'],
    });
  });
  afterAll(() => server.close());

  it('answers as the user of a token', async () => {
    const key = await issuer.token(AUDIENCE);
    expect((await server.ask('GET', '/api/entities', { key })).json.total_count).toBe(1);
    const body = { type: 'skill', path: '/new', name: 'new', description: 'x' };
    const written = await server.ask('POST', '/api/entities', { key, body });
    expect([written.status, written.error?.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const writer = await issuer.token(AUDIENCE, 'write');
    expect((await server.ask('POST', '/api/entities', { key: writer, body })).status).toBe(201);
    expect((await server.registry.get('skill', '/new')).entity.owner).toBe('robot');
  });

  it('refuses tokens while their keys cannot be read, and takes API keys', async () => {
    const other = await accessServer({ oidc_issuer: issuer.url });
    const token = await issuer.token(AUDIENCE);
    const key = other.key({ name: 'ci' });
    issuer.setDown(true);
    try {
      const { status, headers } = await other.ask('GET', '/api/entities', { key: token });
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect((await other.ask('GET', '/api/entities', { key })).status).toBe(200);
      issuer.setDown(false);
      expect((await other.ask('GET', '/api/entities', { key: token })).status).toBe(200);
    } finally {
      issuer.setDown(false);
      await other.close();
    }
  });
});
