import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** What the issuer says about its users, by client or account. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** A page in a browser: it has no secret. Any port of this machine may be its own. */
export const PAGE_CLIENT = 'web-page';
const HOSTS = ['localhost', '127.0.0.1'];
const PAGE = {
  client_id: PAGE_CLIENT,
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: HOSTS.map((host) => `http://${host}/ui/signed-in`),
  post_logout_redirect_uris: HOSTS.map((host) => `http://${host}/`),
};

const CLIENT = { client_id: 'robot', client_secret: 'a-secret-of-the-tests' };

export interface Issuer {
  readonly url: string;
  /** A token that the issuer itself gives to a program, for an audience. */
  token(resource: string, scope?: string): Promise<string>;
  /** A token with the key of the issuer and any claims. Defaults: valid for five minutes. */
  sign(claims: Readonly<Record<string, unknown>>, options?: SignOptions): Promise<string>;
  /** The public key, as an attacker would use it as a shared secret. */
  publicKey(): Promise<string>;
  /** Replaces the keys: old tokens no longer count. */
  rotate(): Promise<void>;
  /** Stops answering, or answers again. */
  setDown(isDown: boolean): void;
  /** How long the tokens that it gives from now on are valid, in seconds. */
  setLifetime(seconds: number): void;
  /** What clients sent to the token endpoint so far, by their grant type. */
  readonly grants: () => readonly string[];
  /** Requests for the keys so far. */
  readonly keyRequests: () => number;
  close(): Promise<void>;
}

export interface SignOptions {
  /** Null: the token has no end. */
  readonly expires?: string | number | null;
  readonly notBefore?: number;
  readonly typ?: string;
}

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' };
}

/** A real OpenID Connect issuer on a free port of this machine. Everyone signs in as `ada`, and consents to everything. */
export async function startIssuer(groups: Groups = {}): Promise<Issuer> {
  let key = await newKey('first');
  let provider: Provider;
  let isDown = false;
  let keyRequests = 0;
  const about: About = { groups, lifetime: 3600, grants: [] };
  const server = createServer((request, response) => {
    if (isDown) return void response.destroy();
    if (request.url === '/jwks') keyRequests += 1;
    if (request.url?.startsWith('/interaction/')) return void interact(provider, request, response);
    provider.callback()(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = () => {
    provider = new Provider(url, configuration(key, about));
  };
  open();
  return {
    url,
    async token(resource, scope = 'read') {
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource, scope });
      const basic = Buffer.from(`${CLIENT.client_id}:${CLIENT.client_secret}`).toString('base64');
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${basic}` },
        body,
      });
      const { access_token, ...rest } = (await response.json()) as { access_token?: string };
      if (access_token === undefined) throw new Error(JSON.stringify(rest));
      return access_token;
    },
    async sign(claims, { expires = '5m', notBefore, typ = 'at+jwt' } = {}) {
      const jwt = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: key.kid!, typ }).setIssuedAt();
      if (!('iss' in claims)) jwt.setIssuer(url);
      if (notBefore !== undefined) jwt.setNotBefore(notBefore);
      if (expires !== null) jwt.setExpirationTime(expires);
      return jwt.sign(await importJWK(key, 'RS256'));
    },
    async publicKey() {
      const { kty, n, e } = key;
      return exportSPKI(
        (await importJWK({ kty, n, e } as JWK, 'RS256', { extractable: true })) as Parameters<typeof exportSPKI>[0],
      );
    },
    async rotate() {
      key = await newKey(`next-${key.kid}`);
      open();
    },
    setDown(down) {
      isDown = down;
      if (down) server.closeAllConnections();
    },
    setLifetime(seconds) {
      about.lifetime = seconds;
    },
    grants: () => about.grants,
    keyRequests: () => keyRequests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface About {
  readonly groups: Groups;
  lifetime: number;
  readonly grants: string[];
}

function configuration(key: JWK, about: About): object {
  const { groups } = about;
  return {
    jwks: { keys: [key] },
    clientBasedCORS: (_: unknown, __: string, client: { readonly clientId: string }) => client.clientId === PAGE_CLIENT,
    clients: [PAGE, { ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    scopes: ['openid', 'read', 'write', 'admin'],
    cookies: { keys: ['for the tests'] },
    pkce: { required: () => true },
    issueRefreshToken: (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      // The page of the library asks another host for its letters.
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(ctx: { body: string }, form: string) {
          ctx.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
        },
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'read write admin',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: about.lifetime,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims(
      { oidc }: { readonly oidc: { readonly params: Readonly<Record<string, string>> } },
      token: { readonly accountId?: string; readonly clientId: string },
    ) {
      about.grants.push(oidc.params.grant_type ?? '');
      return { groups: groups[token.accountId ?? token.clientId] ?? [] };
    },
  };
}

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: 'ada', clientId: params.client_id! });
  grant.addOIDCScope(`openid ${params.scope}`);
  if (params.resource !== undefined) grant.addResourceScope(params.resource, params.scope ?? 'read');
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent: { grantId } });
}
