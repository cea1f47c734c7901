import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import type { LocalRegistry } from '../registry/contract/registry.ts';
import type { FullCatalog } from './catalog/catalog.ts';
import { createMcpEndpoint, type McpEndpoint } from './serve-http.ts';

const VERSION = '2026-07-28';
const FILTER = { notifications: { toolsListChanged: true } };
const watches = new Set<unknown>();

beforeEach(() => {
  const { setInterval, clearInterval } = globalThis;
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((run: () => void, ms: number) => {
    const timer = setInterval(run, ms);
    if (ms === 10_000) watches.add(timer);
    return timer;
  }) as typeof setInterval);
  vi.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
    watches.delete(timer);
    clearInterval(timer);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  watches.clear();
});

async function endpointOf(overrides: Partial<LocalRegistry> = {}): Promise<McpEndpoint> {
  const catalog = (await memoryRegistry(overrides)) as unknown as FullCatalog;
  return createMcpEndpoint({ catalog, version: '1', bodyLimitBytes: 1_000_000, toolset: 'agent' });
}

function ask(endpoint: McpEndpoint, method: string, params: object, headers = {}, signal?: AbortSignal) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    signal: signal ?? null,
  });
  return endpoint.fetch(request);
}
const subscribe = (endpoint: McpEndpoint, signal?: AbortSignal) =>
  ask(endpoint, 'subscriptions/listen', FILTER, {}, signal);

describe('the catalog is watched for changes', () => {
  it('from the first subscriber to the last', async () => {
    const endpoint = await endpointOf();
    const client = new AbortController();
    const [first] = [await subscribe(endpoint), await subscribe(endpoint, client.signal)];
    expect(watches.size).toBe(1);
    await first.body!.cancel();
    expect(watches.size).toBe(1);
    client.abort();
    await expect.poll(() => watches.size).toBe(0);
    const again = await subscribe(endpoint);
    expect(watches.size).toBe(1);
    await again.body!.cancel();
    expect(watches.size).toBe(0);
  });

  it('by no request that was refused or called something else', async () => {
    const endpoint = await endpointOf();
    const refused = await ask(endpoint, 'subscriptions/listen', {});
    expect(await refused.text()).toContain('"error"');
    const other = await ask(endpoint, 'tools/list', {}, { 'Mcp-Method': 'subscriptions/listen' });
    expect(other.status).toBe(400);
    expect(watches.size).toBe(0);
  });

  it('until the endpoint is closed, which ends subscriptions and no calls', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { search } = await memoryRegistry();
    const endpoint = await endpointOf({
      async search(request) {
        await held;
        return search(request);
      },
    });
    const stream = (await subscribe(endpoint)).text();
    const params = { name: 'search_tools', arguments: { query: 'weather' } };
    const call = ask(endpoint, 'tools/call', params, { 'Mcp-Name': 'search_tools' });
    await endpoint.close();
    expect(await stream).toContain('"resultType":"complete"');
    expect(watches.size).toBe(0);
    release();
    expect(await (await call).text()).toContain('"structuredContent"');
    expect((await ask(endpoint, 'tools/list', {})).status).toBe(200);
  });
});
