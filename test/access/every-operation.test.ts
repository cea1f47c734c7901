import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATION_RIGHTS, STANDARD_RIGHTS } from '../../src/api/routes/rights.ts';
import { OPERATION_NAMES, ROUTES, type Route } from '../../src/api/routes/routes.ts';
import { STANDARD_NAMES, standardsContract } from '../../src/api/routes/standards-contract.ts';
import { SERVICE_ROUTES } from '../../src/http/memory-service/service-routes.ts';
import { OLD_NAMES } from '../../src/mcp/memory-service/old-names.ts';
import { SERVICE_TOOLS } from '../../src/mcp/memory-service/service-tools.ts';
import { TOOLPILOT_TOOLS } from '../../src/mcp/tools/toolpilot.ts';
import { AGENT_TOOLS, REGISTRY_TOOLS } from '../../src/mcp/tools/tools.ts';
import { TOOLSET_PATHS } from '../../src/mcp/toolset-names.ts';
import type { Right } from '../../src/model/caller/caller.ts';
import { type AccessServer, AUDIENCE, accessServer } from '../support/access-server.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';

const CLAIMS = { sub: 'eve', aud: AUDIENCE, scope: 'admin' };
let issuer: Issuer;
let server: AccessServer;
/** Credentials that must not get through anywhere. */
const WRONG: Record<string, string | undefined> = {};
/** Credentials that are good, for less than some operations need. */
const WEAK: Record<string, string> = {};

beforeAll(async () => {
  issuer = await startIssuer();
  server = await accessServer({ oidc_issuer: issuer.url, rate_limit: 0 });
  const now = 1_700_000_000;
  const secret = new TextEncoder().encode(await issuer.publicKey());
  const forged = new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'first' }).setIssuer(issuer.url);
  Object.assign(WRONG, {
    nobody: undefined,
    malformed: 'dwsr_short',
    unknown: `dwsr_${'A'.repeat(49)}`,
    expired: server.key({ name: 'expired', scopes: ['admin'], expiresAt: '2020-01-01T00:00:00.000Z' }),
    revoked: server.key({ name: 'revoked', scopes: ['admin'] }),
    'token, expired': await issuer.sign(CLAIMS, { expires: now }),
    'token, other audience': await issuer.sign({ ...CLAIMS, aud: 'https://other.example.com' }),
    'token, alg none': new UnsecuredJWT(CLAIMS).setIssuer(issuer.url).setExpirationTime('5m').encode(),
    'token, HS256 with the public key': await forged.setExpirationTime('5m').sign(secret),
  });
  server.keys.revoke('revoked', new Date(0));
  WEAK.reader = server.key({ name: 'reader', groups: ['payments'] });
  WEAK.writer = server.key({ name: 'writer', groups: ['search'], scopes: ['write'] });
  await server.registry.putMany([
    { type: 'mcp_server', path: '/s', name: 's', description: 'x', ...OWNED },
    { type: 'a2a_agent', path: '/a', name: 'a', description: 'x', url: 'https://a.example.com', ...OWNED },
    { type: 'skill', path: '/k', name: 'k', description: 'x', ...OWNED },
    { type: 'virtual_server', path: '/v', name: 'v', description: 'x', tool_mappings: [], ...OWNED },
    { type: 'memory', path: '/m', name: 'm', content: 'Ports', ...OWNED },
  ]);
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});

/** Thousands of requests, one after the other. */
const MANY_REQUESTS_MS = 180_000;

/** Of a group that neither weak caller has. */
const OWNED = { visibility: 'group-restricted', allowed_groups: ['platform'], owner: 'root' } as const;
const PATHS: Readonly<Record<string, string>> = {
  '/api/servers': 's',
  '/api/agents': 'a',
  '/api/skills': 'k',
  '/api/virtual-servers': 'v',
};

function urlOf({ path }: Route): string {
  const [, area = ''] = /^(\/api\/[\w-]+)/.exec(path) ?? [];
  return path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => {
    if (name === 'type') return 'skill';
    return name === 'path' ? (PATHS[area] ?? 'k') : 'x';
  });
}

const ask = (route: Route, key: string | undefined) =>
  server.ask(route.method, urlOf(route), { key, ...(route.method === 'GET' ? {} : { body: {} }) });

interface Guarded {
  readonly name: string;
  readonly route: Route;
  readonly right: Right;
}
const GUARDED: readonly Guarded[] = [
  ...OPERATION_NAMES.map((name) => ({ name, route: ROUTES[name], right: OPERATION_RIGHTS[name] })),
  ...STANDARD_NAMES.map((name) => ({ name, route: standardsContract[name], right: STANDARD_RIGHTS[name] })),
  ...SERVICE_ROUTES.map((route) => ({ name: `${route.method} ${route.path}`, route, right: route.right })),
];
const OPEN = GUARDED.filter(({ right }) => right === 'none').map(({ name }) => name);
const CLOSED = GUARDED.filter(({ right }) => right !== 'none');

describe('every operation', () => {
  it('is in the table, and few of them are open', async () => {
    const { json } = await server.ask('GET', '/openapi.json');
    const listed = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll('*', '')}`),
    );
    const known = GUARDED.map(({ route }) => `${route.method} ${route.path.replaceAll('*', '')}`);
    expect(listed.filter((one) => !known.includes(one))).toEqual([]);
    expect(OPEN).toEqual([
      'getCsrfToken',
      'getAuthConfig',
      'listAuthProviders',
      'getConfig',
      'getVersion',
      'ping',
      'ready',
      'openapi',
      'registryHealth',
      'ardManifest',
      'serverCard',
      'agentCard',
    ]);
  });

  it(
    'refuses wrong credentials with 401 and says how to sign in',
    async () => {
      const through: string[] = [];
      for (const [who, key] of Object.entries(WRONG)) {
        for (const { name, route } of CLOSED) {
          const { status, headers } = await ask(route, key);
          const isTold = headers.get('www-authenticate')?.includes('resource_metadata=') === true;
          if (status !== 401 || !isTold) through.push(`${who}: ${name} ${status}`);
        }
      }
      expect(through).toEqual([]);
    },
    MANY_REQUESTS_MS,
  );

  it('refuses a caller without its scope with 403', async () => {
    const order: readonly Right[] = ['none', 'read', 'write', 'metrics', 'call:read', 'admin'];
    const wrong: string[] = [];
    for (const [who, has] of [
      ['reader', 'read'],
      ['writer', 'write'],
    ] as const) {
      for (const { name, route, right } of CLOSED) {
        const { status, text } = await ask(route, WEAK[who]);
        const isRefused = status === 403 && text.includes('INSUFFICIENT_SCOPE');
        const mustBe = order.indexOf(right) > order.indexOf(has);
        // Routes of other standards have errors of their own.
        if (isRefused !== mustBe && !(mustBe && status === 403)) wrong.push(`${who}: ${name} ${status}`);
        if (status === 401 || status >= 500) if (status !== 501) wrong.push(`${who}: ${name} ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('shows and changes nothing of another group', async () => {
    const leaks: string[] = [];
    for (const { name, route } of CLOSED) {
      const { text } = await ask(route, WEAK.writer);
      if (text.includes('"root"') || text.includes('platform')) leaks.push(name);
    }
    expect(leaks).toEqual([]);
    const { entities } = await server.registry.page({ limit: 100 });
    const owned = entities.filter(({ entity }) => entity.owner === 'root');
    expect(owned.map(({ entity }) => [entity.path, entity.is_enabled, entity.description])).toEqual([
      ['/a', true, 'x'],
      ['/s', true, 'x'],
      ['/m', true, expect.anything()],
      ['/k', true, 'x'],
      ['/v', true, 'x'],
    ]);
  });
});

describe('every MCP tool', () => {
  const HEADERS = { Accept: 'application/json, text/event-stream' };
  const TOOLS: readonly (readonly [string, string, Right])[] = [
    ...AGENT_TOOLS.map(({ name, right }) => [TOOLSET_PATHS.agent, name, right] as const),
    ...REGISTRY_TOOLS.map(({ name, right }) => [TOOLSET_PATHS.registry, name, right] as const),
    ...TOOLPILOT_TOOLS.map(({ name, right }) => [TOOLSET_PATHS.recommend, name, right] as const),
    ...SERVICE_TOOLS.map(({ name, right }) => [TOOLSET_PATHS.memory, name, right] as const),
    ...Object.entries(OLD_NAMES).map(([name, { right }]) => [TOOLSET_PATHS.memory, name, right] as const),
  ];
  const call = (path: string, name: string, key: string | undefined) => {
    const params = { name, arguments: { content: 'x', query: 'x', content_hash: 'm', chosen_tool: '/s' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return server.ask('POST', path, { key, headers: HEADERS, body });
  };

  it(
    'refuses wrong credentials with 401',
    async () => {
      const through: string[] = [];
      for (const [who, key] of Object.entries(WRONG)) {
        for (const [path, name] of TOOLS) {
          if ((await call(path, name, key)).status !== 401) through.push(`${who}: ${path} ${name}`);
        }
      }
      expect(through).toEqual([]);
    },
    MANY_REQUESTS_MS,
  );

  it('refuses a reader who would write with 403', async () => {
    const wrong: string[] = [];
    for (const [path, name, right] of TOOLS) {
      const { status } = await call(path, name, WEAK.reader);
      // The tools of memories are not at the address of the registry.
      const isThere = path !== TOOLSET_PATHS.registry || right === 'read';
      if (isThere && status !== (right === 'write' ? 403 : 200)) wrong.push(`${path} ${name} ${status}`);
    }
    expect(wrong).toEqual([]);
    expect((await server.registry.rows('memory')).map(({ path }) => path)).toEqual(['/m']);
  });
});
