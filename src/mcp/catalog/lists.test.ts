import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { createMcpEndpoint, type McpEndpoint } from '../serve-http.ts';
import type { ListStates } from '../server/create-mcp-server.ts';
import { readFirstState } from '../server/first-state.ts';
import type { ToolsetName } from '../toolset-names.ts';
import { TOOLSETS } from '../toolsets.ts';
import type { FullCatalog } from './catalog.ts';

const VERSION = '2026-07-28';
const skill = (name: string, over: Record<string, unknown> = {}) => ({
  type: 'skill',
  path: `/skills/${name}`,
  name,
  description: `Does ${name}`,
  body: 'Text',
  ...over,
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The memories and documents of the catalog are not used by any list. */
const catalogOf = (registry: LocalRegistry): FullCatalog => registry as unknown as FullCatalog;
const endpointOf = (registry: LocalRegistry, toolset: ToolsetName = 'agent'): McpEndpoint =>
  createMcpEndpoint({ catalog: catalogOf(registry), version: '1', bodyLimitBytes: 1_000_000, toolset });

function requestOf(method: string, params: object, modern = true): Request {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(modern ? { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: modern ? { ...params, _meta } : params }),
  });
}

async function ask(endpoint: McpEndpoint, method: string, params: object = {}, modern = true) {
  const text = await (await endpoint.fetch(requestOf(method, params, modern))).text();
  return JSON.parse(text.replace(/^[\s\S]*?data: /, ''));
}

const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } };

describe('a list', () => {
  it.each([
    ['agent', 'tools/list'],
    ['agent', 'resources/list'],
    ['agent', 'resources/templates/list'],
    ['agent', 'skills/list'],
    ['memory', 'tools/list'],
    ['recommend', 'tools/list'],
  ] as const)('of %s refuses a wrong cursor: %s', async (toolset, method) => {
    const endpoint = endpointOf(await memoryRegistry(), toolset);
    for (const modern of [true, false]) {
      expect((await ask(endpoint, method, { cursor: 'made-up' }, modern)).error?.code, String(modern)).toBe(-32602);
      expect((await ask(endpoint, method, {}, modern)).error).toBeUndefined();
    }
  });

  it('of resources has pages, with each skill once', async () => {
    const registry = await memoryRegistry();
    const names = Array.from({ length: 250 }, (_, at) => `s-${String(at).padStart(3, '0')}`);
    await registry.putMany(names.map((name) => skill(name)));
    const endpoint = endpointOf(registry);
    const found: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await ask(endpoint, 'resources/list', cursor === undefined ? {} : { cursor });
      sizes.push(result.resources.length);
      found.push(...result.resources.map(({ name }: { name: string }) => name));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([100, 100, 50]);
    expect(found).toEqual(names);
  });
});

describe('a change of a list', () => {
  it('is claimed only where a client can be told', async () => {
    const endpoint = endpointOf(await memoryRegistry());
    const older = await ask(endpoint, 'initialize', initialize, false);
    expect(older.result.capabilities).toMatchObject({
      tools: { listChanged: false },
      resources: { listChanged: false },
    });
    const newer = await ask(endpoint, 'server/discover');
    expect(newer.result.capabilities).toMatchObject({ tools: { listChanged: true }, resources: { listChanged: true } });
    for (const toolset of ['memory', 'recommend'] as const) {
      const { result } = await ask(endpointOf(await memoryRegistry(), toolset), 'initialize', initialize, false);
      expect(result.capabilities.tools).toEqual({ listChanged: false });
    }
  });

  it('reaches a subscriber, also if only a text of it has changed', async () => {
    const registry = await memoryRegistry();
    await registry.put(skill('sing'));
    const endpoint = endpointOf(registry);
    const filter = { notifications: { toolsListChanged: true, resourcesListChanged: true } };
    const stream = await endpoint.fetch(requestOf('subscriptions/listen', filter));
    let heard = '';
    const reading = (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) heard += part;
    })();
    // Later than any clock of this process.
    let ms = 1e12;
    vi.spyOn(performance, 'now').mockImplementation(() => ms);
    await ask(endpoint, 'resources/list');
    expect(heard).not.toContain('list_changed');
    await registry.put(skill('sing', { description: 'Does ring' }));
    ms += 61_000;
    await ask(endpoint, 'resources/list');
    await vi.waitFor(() => expect(heard).toContain('notifications/resources/list_changed'), { timeout: 60_000 });
    expect(heard).not.toContain('notifications/tools/list_changed');
    // The description of a tool says what the catalog holds.
    await registry.put({ type: 'a2a_agent', path: '/agent', name: 'Agent' });
    ms += 61_000;
    await ask(endpoint, 'tools/list');
    await vi.waitFor(() => expect(heard).toContain('notifications/tools/list_changed'), { timeout: 60_000 });
    await endpoint.close();
    await reading;
  });

  it('reaches a client with a connection, list by list', async () => {
    const registry = await memoryRegistry();
    const { make } = TOOLSETS.agent.make({ catalog: catalogOf(registry), version: '1' });
    const made = await make({ notifies: true });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const heard: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('resources'));
    await made.server.connect(serverSide);
    await client.connect(clientSide);
    made.update({ tools: 'It holds 2 skills.', resources: 'a' });
    await vi.waitFor(() => expect(heard).toEqual(['tools']), { timeout: 60_000 });
    made.update({ tools: 'It holds 2 skills.', resources: 'a' });
    made.update({ tools: 'It holds 2 skills.', resources: 'b' });
    await vi.waitFor(() => expect(heard).toEqual(['tools', 'resources']), { timeout: 60_000 });
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'search_tools')?.description).toContain('It holds 2 skills.');
    await client.close();
  });

  it.each([
    ['in time', 'a', []],
    ['late', 'a', ['resources']],
    ['late', '', []],
  ])('is told if the first state came %s, of resources %j', async (when, resources, told) => {
    const { make } = TOOLSETS[resources === '' ? 'memory' : 'agent'].make({
      catalog: catalogOf(await memoryRegistry()),
      version: '1',
    });
    const made = await make({ notifies: true });
    const never = () => new Promise<void>(() => {});
    let tell = () => {};
    const state = new Promise<ListStates>((resolve) => {
      tell = () => resolve({ tools: '', resources });
    });
    if (when === 'in time') tell();
    await readFirstState(made, () => state, when === 'late' ? async () => {} : never);
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('resources'));
    await made.server.connect(serverSide);
    await client.connect(clientSide);
    tell();
    await client.listTools();
    expect(heard).toEqual(told);
    await client.close();
  });
});
