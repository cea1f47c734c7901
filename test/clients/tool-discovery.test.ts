import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ToolDiscovery } from '../../src/http/discovery/tool-discovery.ts';
import { parseWith } from '../../src/model/parse/parse.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { DEFAULT_LIMITS } from '../../src/sources/source.ts';
import { listsTools } from '../support/lists-tools.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { MODELS } from './client-models.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(settings: Record<string, unknown> = {}): Promise<ServedRegistry> {
  const limits = { source_connect_ms: 300, source_list_ms: 300, source_max_bytes: 100_000 };
  const served = await serveRegistry({}, { discovery_private_addresses: true, ...limits, ...settings });
  open.push(served);
  return served;
}

/** An address of this machine that answers as it likes. */
async function stranger(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const mcpServer = (...args: Parameters<typeof listsTools>): Promise<string> => stranger(listsTools(...args));

const READING = { tool_discovery: true, source_connect_ms: 5000, source_list_ms: 5000 };

/** Discovery without a server around it, which may read this machine. */
function discoveryOf(
  registry: LocalRegistry,
  connectMs = 5000,
  more: Partial<ConstructorParameters<typeof ToolDiscovery>[0]> = {},
): ToolDiscovery {
  const discovery = new ToolDiscovery({
    registry,
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    limits: { ...DEFAULT_LIMITS, connectMs },
    onRegister: false,
    allowPrivate: true,
    refreshSeconds: 0,
    ...more,
  });
  open.push(discovery);
  return discovery;
}

const register = (served: ServedRegistry, url: string, more: Record<string, string> = {}) =>
  served.form('/api/servers/register', {
    path: '/other',
    name: 'Other',
    description: 'Said by a person.',
    proxy_pass_url: url,
    tags: 'mine',
    ...more,
  });
const other = async (served: ServedRegistry) => (await served.ask('GET', '/api/servers/other')).json;

describe('CL-22: a server registered by its address', () => {
  it('gets its tools, and keeps what the person said of it', async () => {
    const target = await serve();
    const served = await serve({ tool_discovery: true, source_connect_ms: 5000, source_list_ms: 5000 });
    await register(served, `${target.url}/mcp`);
    await expect.poll(async () => (await other(served)).num_tools).toBeGreaterThan(5);
    expect(await other(served)).toMatchObject({
      server_name: 'Other',
      description: 'Said by a person.',
      tags: ['mine'],
      health_status: 'healthy',
      proxy_pass_url: `${target.url}/mcp`,
    });
    const { json } = await served.send('POST', '/api/search/semantic', {
      query: 'search_tools',
      entity_types: ['tool'],
    });
    expect(json.tools[0]).toMatchObject({ server_path: '/other', tool_name: 'search_tools' });
  });

  it('is not held up by others that hang', async () => {
    const target = await serve();
    const served = await serve({ tool_discovery: true, source_connect_ms: 20_000, source_list_ms: 20_000 });
    const hanging = await stranger(() => {});
    for (let i = 0; i < 3; i++) await register(served, hanging, { path: `/hangs-${i}` });
    await register(served, `${target.url}/mcp`);
    await expect.poll(async () => (await other(served)).num_tools).toBeGreaterThan(5);
  });

  it('is read again by refresh', async () => {
    const target = await serve();
    const served = await serve({ source_connect_ms: 5000, source_list_ms: 5000 });
    await register(served, `${target.url}/mcp`);
    expect((await other(served)).num_tools).toBe(0);
    const { status, json } = await served.ask('POST', '/api/refresh/other');
    expect(status).toBe(200);
    parseWith(MODELS.refreshed, json, 'answer');
    expect(json).toMatchObject({ service_path: '/other', status: 'healthy' });
    expect((await other(served)).num_tools).toBe(json.num_tools);
  });

  it.each<[string, RequestListener]>([
    ['hangs', () => {}],
    [
      'sends without an end',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'redirects elsewhere',
      (_, response) => {
        response.writeHead(307, { Location: 'http://169.254.169.254/latest' }).end();
      },
    ],
    ['is no MCP server', (_, response) => response.end('hello')],
  ])('that %s is reported as unhealthy, and costs only itself', async (_, answer) => {
    const served = await serve();
    await register(served, await stranger(answer), { tool_list_json: '[{"name": "kept"}]' });
    const { status, json } = await served.ask('POST', '/api/refresh/other');
    expect([status, json.status]).toEqual([200, 'unhealthy']);
    const { health_error, ...shown } = await other(served);
    expect(shown).toMatchObject({ health_status: 'unhealthy', num_tools: 1 });
    expect(health_error).toMatch(/\w{4}/);
    expect([json.health_error, json.message]).toEqual([health_error, `/other does not answer: ${health_error}`]);
    const { servers } = (await served.ask('GET', '/api/servers/health')).json;
    expect(servers).toMatchObject([{ path: '/other', status: 'unhealthy', health_error }]);
  });

  it('that lists 100,000 tools is read to the limit, and says so', async () => {
    const served = await serve({ source_connect_ms: 5000, source_list_ms: 20_000, source_max_bytes: 100_000_000 });
    await register(served, await mcpServer(100_000));
    const { status, json } = await served.ask('POST', '/api/refresh/other');
    expect([status, json.status]).toEqual([200, 'healthy']);
    const { num_tools, metadata } = await other(served);
    expect(num_tools).toBe(5000);
    expect(metadata.discovery_warnings).toEqual([
      "The list 'tools/list' has more than 5000 items: only the first 5000 were read.",
    ]);
  });

  it('is not read at a private address, unless a setting allows it', async () => {
    let calls = 0;
    const url = await stranger((_, response) => {
      calls++;
      response.end();
    });
    const served = await serve({ discovery_private_addresses: false, tool_discovery: true });
    for (const address of [url, 'http://169.254.169.254/', 'http://[::1]:9/', url.replace('127.0.0.1', 'localhost')]) {
      await register(served, address);
      const { status, error } = await served.ask('POST', '/api/refresh/other');
      expect([address, status, error?.code]).toEqual([address, 403, 'FORBIDDEN']);
      expect(await other(served)).toMatchObject({
        health_status: 'unknown',
        health_error: expect.stringContaining('is an address of a private network'),
      });
    }
    expect(calls).toBe(0);
  });

  it('has no reason any more once it answers, and no health of its old address', async () => {
    const served = await serve({ discovery_private_addresses: false });
    const url = await mcpServer(2);
    await register(served, url);
    await served.ask('POST', '/api/refresh/other');
    expect((await other(served)).health_error).not.toBeNull();
    const discovery = discoveryOf(served.registry);
    await discovery.refresh('/other');
    expect(await other(served)).toMatchObject({ health_status: 'healthy', health_error: null, num_tools: 2 });
    await served.send('PATCH', '/api/servers/other', { proxy_pass_url: `${url}/moved` });
    await served.ask('POST', '/api/refresh/other');
    expect(await other(served)).toMatchObject({ health_status: 'unknown', health_error: expect.any(String) });
  });

  it('is read again at another address', async () => {
    const served = await serve(READING);
    await register(served, await mcpServer(2));
    await expect.poll(async () => (await other(served)).num_tools).toBe(2);
    await served.send('PATCH', '/api/servers/other', { proxy_pass_url: await mcpServer(3) });
    await expect.poll(async () => (await other(served)).num_tools).toBe(3);
    const put = { name: 'Other', description: 'x', proxy_pass_url: await mcpServer(4) };
    await served.send('PUT', '/api/servers/other', put);
    await expect.poll(async () => (await other(served)).num_tools).toBe(4);
    await served.send('PATCH', '/api/entities/mcp_server/other', { url: await mcpServer(5) });
    await expect.poll(async () => (await other(served)).num_tools).toBe(5);
  });

  it('is read by every route that writes one entity, and again if a batch moves it', async () => {
    const served = await serve(READING);
    const entity = async (path: string, tools: number) => {
      return { type: 'mcp_server', path, name: 'Other', mcp_endpoint: await mcpServer(tools) };
    };
    const isRead = (tools: number, path = 'other') =>
      expect.poll(async () => (await served.ask('GET', `/api/servers/${path}`)).json.num_tools).toBe(tools);
    await served.send('PUT', '/api/entities/mcp_server/other', await entity('/other', 1));
    await isRead(1);
    await served.send('PUT', '/api/entities/mcp_server/other', await entity('/other', 2));
    await isRead(2);
    await served.send('POST', '/api/entities', await entity('/other', 3));
    await isRead(3);
    await served.send('POST', '/api/entities', await entity('/second', 4));
    await isRead(4, 'second');
    await served.send('POST', '/api/entities:register', await entity('/third', 5));
    await isRead(5, 'third');
    const batch = [await entity('/new', 6), await entity('/other', 7)];
    expect((await served.send('POST', '/api/entities:batch', { entities: batch })).status).toBe(200);
    await isRead(7);
    expect((await served.ask('GET', '/api/servers/new')).json).toMatchObject({
      num_tools: 0,
      health_status: 'unknown',
    });
  });

  it('is at the same address, and is not read again', async () => {
    let calls = 0;
    const url = await stranger((_, response) => {
      calls++;
      response.writeHead(500).end();
    });
    const served = await serve(READING);
    const entity = { type: 'mcp_server', path: '/other', name: 'Other', mcp_endpoint: url };
    await served.send('POST', '/api/entities', entity);
    await expect.poll(async () => (await other(served)).health_status).toBe('unhealthy');
    const before = calls;
    await served.send('POST', '/api/entities', { ...entity, description: 'Changed.' });
    await served.send('POST', '/api/entities:batch', { entities: [entity] });
    // Servers are read in turn: once the second one is, the first would have been.
    await served.send('POST', '/api/entities', { ...entity, path: '/second', mcp_endpoint: await mcpServer(1) });
    const second = async () => (await served.ask('GET', '/api/servers/second')).json.num_tools;
    await expect.poll(second).toBe(1);
    expect(calls).toBe(before);
  });

  it('is refused as before if it is no entity', async () => {
    const served = await serve(READING);
    const wrong = { type: 'mcp_server', path: ' /x\u0000', name: 'x' };
    expect((await served.send('POST', '/api/entities', wrong)).error).toMatchObject({ field: 'path' });
    expect((await served.send('POST', '/api/entities', 7)).status).toBe(422);
  });

  it('is read at the address of its default version, and each version has its own accepted tools', async () => {
    let tools = 2;
    const served = await serve(READING);
    const drift = async () => (await served.ask('GET', '/api/drift')).json.entities.length;
    const choose = (version: string) => served.send('PUT', '/api/servers/other/versions/default', { version });
    await register(served, await mcpServer(() => tools), { version: '1' });
    await expect.poll(async () => (await other(served)).num_tools).toBe(2);
    await register(served, await mcpServer(5), { version: '2' });
    await choose('2');
    await expect.poll(async () => (await other(served)).num_tools).toBe(5);
    expect(await drift()).toBe(0);
    await choose('1');
    await served.ask('POST', '/api/refresh/other');
    expect([(await other(served)).num_tools, await drift()]).toEqual([2, 0]);
    await choose('2');
    tools = 3;
    await choose('1');
    await served.ask('POST', '/api/refresh/other');
    expect([(await other(served)).num_tools, await drift()]).toEqual([3, 1]);
  });

  it('keeps what a person changes while it is read', async () => {
    const served = await serve();
    await register(served, await mcpServer(2));
    const late: LocalRegistry = {
      ...served.registry,
      observeStored: async (...asked) => {
        await served.registry.patch('mcp_server', '/other', { description: 'Said meanwhile.' });
        return served.registry.observeStored(...asked);
      },
    };
    await discoveryOf(late).refresh('/other');
    expect(await other(served)).toMatchObject({ description: 'Said meanwhile.', num_tools: 2 });
  });

  it('does not get the tools of an address that it no longer has', async () => {
    const served = await serve({ source_connect_ms: 5000, source_list_ms: 5000 });
    const move = () => served.send('PATCH', '/api/servers/other', { proxy_pass_url: 'http://127.0.0.1:9/' });
    await register(served, await mcpServer(9, async () => void (await move())));
    expect((await served.ask('POST', '/api/refresh/other')).status).toBe(200);
    expect(await other(served)).toMatchObject({ num_tools: 0, health_status: 'unknown' });
  });

  it('is not dead because this server stops in the middle of a reading', async () => {
    const served = await serve();
    await register(served, await stranger(() => {}));
    const discovery = discoveryOf(served.registry, 20_000);
    const reading = discovery.refresh('/other');
    await discovery.close();
    await reading;
    expect((await other(served)).health_status).toBe('unknown');
  });

  it('is never a command, and takes nothing from the environment', async () => {
    const served = await serve();
    await register(served, '', { deployment: 'local', local_runtime: '{"command": "touch", "args": ["/tmp/x"]}' });
    expect((await served.ask('POST', '/api/refresh/other')).status).toBe(422);
    expect((await served.ask('POST', '/api/refresh/nowhere')).status).toBe(404);
    let asked = '';
    const url = await stranger(({ url: path }, response) => {
      asked += path;
      response.end();
    });
    await served.registry.put({ type: 'mcp_server', path: '/env', name: 'Env', url: `${url}/\${PATH}` });
    await served.ask('POST', '/api/refresh/env');
    expect(asked).toBe('');
  });

  it('is read on a schedule by the node that has the duty', async () => {
    const happened: string[] = [];
    let isOurs = false;
    const registry = {
      all: () => {
        happened.push('read');
        return [];
      },
    } as unknown as LocalRegistry;
    const discovery = discoveryOf(registry, 5000, {
      refreshSeconds: 0.02,
      refreshesHere: () => {
        happened.push('asked');
        return isOurs;
      },
    });
    await expect.poll(() => happened.length, { timeout: 60_000 }).toBeGreaterThan(3);
    expect(new Set(happened)).toEqual(new Set(['asked']));
    isOurs = true;
    await expect.poll(() => happened, { timeout: 60_000 }).toContain('read');
    await discovery.close();
  });

  it('is read on a schedule', async () => {
    const target = await serve();
    const served = await serve({ refresh_interval: 1, source_connect_ms: 5000, source_list_ms: 5000 });
    await register(served, `${target.url}/mcp`);
    await expect.poll(async () => (await other(served)).health_status).toBe('healthy');
  });
});
