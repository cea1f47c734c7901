import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLSET_PATHS } from '../../src/mcp/toolset-names.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { McpSignIn } from '../support/mcp-sign-in.ts';

let issuer: Issuer;
let server: AccessServer;
beforeAll(async () => {
  issuer = await startIssuer({ ada: ['payments'] });
  server = await accessServer({ oidc_issuer: issuer.url, oidc_audience: ['set-below'] });
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const HEADERS = { Accept: 'application/json, text/event-stream' };
const call = (of: AccessServer, path: string, key: string | undefined, name: string, args: object = {}) =>
  of.ask('POST', path, { key, headers: HEADERS, body: rpc('tools/call', { name, arguments: args }) });
const listed = async (of: AccessServer, path: string, key: string): Promise<readonly string[]> => {
  const { text } = await of.ask('POST', path, { key, headers: HEADERS, body: rpc('tools/list') });
  return JSON.parse(text.replace(/^[\s\S]*?data: /, '')).result.tools.map(({ name }: { name: string }) => name);
};

describe('the metadata of the resource', () => {
  it.each(['', ...Object.values(TOOLSET_PATHS)])('names the issuer and the address%s', async (path) => {
    const { status, json } = await server.ask('GET', `/.well-known/oauth-protected-resource${path}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      resource: `${server.url}${path}`,
      authorization_servers: [issuer.url],
      scopes_supported: ['read', 'write', 'admin'],
      bearer_methods_supported: ['header'],
      resource_name: 'Dowser',
    });
  });

  it('is where a refused client is sent', async () => {
    const { status, headers } = await server.ask('POST', '/mcp/memory', { headers: HEADERS, body: rpc('tools/list') });
    const url = `${server.url}/.well-known/oauth-protected-resource/mcp/memory`;
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="dowser", scope="read", resource_metadata="${url}"`,
    ]);
  });

  it('is not there without an issuer', async () => {
    const plain = await accessServer();
    expect((await plain.ask('GET', '/.well-known/oauth-protected-resource')).status).toBe(404);
    await plain.close();
  });
});

describe('the tools of a caller', () => {
  it('are those of its scopes, in lists and in calls', async () => {
    const reader = server.key({ name: 'reader' });
    const writer = server.key({ name: 'writer', scopes: ['write'] });
    for (const [path, tool, args] of [
      ['/mcp', 'store_memory', { content: 'The port is 7470.' }],
      ['/mcp/memory', 'memory_store', { content: 'The port is 7470.' }],
      ['/mcp/memory', 'store_memory', { content: 'The port is 7470.' }],
      ['/mcp/recommend', 'report_outcome', { chosen_tool: '/x', outcome: 'success' }],
    ] as const) {
      expect(await listed(server, path, reader)).not.toContain(tool);
      const { status, headers, error } = await call(server, path, reader, tool, args);
      expect([path, status, error?.code]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
      const metadata = `resource_metadata="${server.url}/.well-known/oauth-protected-resource${path}"`;
      expect(headers.get('www-authenticate')).toBe(
        `Bearer realm="dowser", error="insufficient_scope", scope="write", ${metadata}`,
      );
      expect((await call(server, path, writer, tool, args)).status).toBe(200);
    }
    expect(await listed(server, '/mcp', writer)).toContain('store_memory');
    expect((await server.registry.rows('memory')).map(({ path }) => path)).toHaveLength(1);
  });

  it('are refused in a batch of calls too', async () => {
    const key = server.key({ name: 'batch' });
    const body = [rpc('tools/list'), rpc('tools/call', { name: 'store_memory', arguments: { content: 'x' } })];
    expect((await server.ask('POST', '/mcp', { key, headers: HEADERS, body })).status).toBe(403);
  });

  it('are private to the caller for whoever caches them', async () => {
    const key = server.key({ name: 'cache' });
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    const answer = (await client.listTools()) as { readonly cacheScope?: string };
    expect(answer.cacheScope).toBe('private');
    await client.close();
  });
});

describe('the official client', () => {
  it('signs in at the issuer, and gets what its user may see', async () => {
    const first = await accessServer();
    const { port } = new URL(first.url);
    await first.close();
    const base = `http://127.0.0.1:${port}`;
    const own = await accessServer({
      port: Number(port),
      oidc_issuer: issuer.url,
      oidc_audience: [`${base}/mcp`],
    });
    try {
      const shared = { visibility: 'group-restricted', description: 'Pays invoices' };
      await own.registry.putMany([
        { type: 'skill', path: '/pay', name: 'pay', allowed_groups: ['payments'], ...shared },
        { type: 'skill', path: '/hide', name: 'hide', allowed_groups: ['others'], ...shared },
      ]);
      const signIn = new McpSignIn();
      const url = new URL(`${base}/mcp`);
      const options = { versionNegotiation: { mode: 'auto' as const } };
      const transport = new StreamableHTTPClientTransport(url, { authProvider: signIn });
      const refused = new Client({ name: 'tests', version: '1' }, options);
      await expect(refused.connect(transport)).rejects.toThrow(UnauthorizedError);
      await transport.finishAuth(await signIn.consent());
      const client = new Client({ name: 'tests', version: '1' }, options);
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: signIn }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('search_tools');
      expect(tools.map(({ name }) => name)).not.toContain('store_memory');
      const found = await client.callTool({ name: 'search_tools', arguments: { query: 'invoices' } });
      expect(JSON.stringify(found.structuredContent)).toContain('/pay');
      expect(JSON.stringify(found.structuredContent)).not.toContain('/hide');
      await client.close();
      // The token is for this address only.
      const { access_token } = (await signIn.tokens())!;
      const there = await server.ask('GET', '/api/entities', { key: access_token });
      expect([there.status, there.error?.message]).toEqual([401, "The claim 'aud' of the token is not accepted."]);
    } finally {
      await own.close();
    }
  });
});
