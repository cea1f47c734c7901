import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { MCP_TOOLS } from '../../src/mcp/tools/tools.ts';
import { createMemories } from '../../src/memories/create-memories.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { memoryRegistry } from '../support/memory-registry.ts';

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await memoryRegistry();
  await registry.putMany([
    { type: 'mcp_server', path: '/clock', name: 'Clock', tools: [{ name: 'now', description: 'Tells the time.' }] },
    { type: 'mcp_server', path: '/mail', name: 'Mail', is_enabled: false },
    { type: 'a2a_agent', path: '/agent', name: 'Agent', skills: [{ name: 'Review' }] },
  ]);
});
afterAll(() => registry.close());

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  const tool = MCP_TOOLS.find((one) => one.name === name)!;
  const catalog = { ...registry, memories: createMemories(registry), documents: createDocuments(registry) };
  const { structured } = await tool.run(catalog, tool.input.parse(args));
  return tool.output.parse(structured);
}

describe('CL-23: the MCP tools of the registry', () => {
  it('list servers, page by page', async () => {
    const first = await call('list_services', { limit: 1 });
    expect(first).toMatchObject({ status: 'success', total_count: 2, services: [{ path: '/clock', num_tools: 1 }] });
    const { next_cursor: cursor } = first;
    const rest = await call('list_services', { limit: 1, cursor });
    expect(rest).toMatchObject({ services: [{ path: '/mail', is_enabled: false }] });
    expect(rest.next_cursor).toBeUndefined();
  });

  it('list agents', async () => {
    expect(await call('list_agents', {})).toMatchObject({ agents: [{ path: '/agent', url: '', skills: ['Review'] }] });
  });

  it('report the health of the registry', async () => {
    expect(await call('healthcheck', {})).toMatchObject({ status: 'healthy', counts: { mcp_server: 2, a2a_agent: 1 } });
  });

  it('find tools as results and their number', async () => {
    expect(await call('intelligent_tool_finder', { query: 'tells the time' })).toMatchObject({
      status: 'success',
      results: [{ tool_name: 'now', server_name: 'Clock', path: '/clock' }],
      total_results: 1,
    });
  });
});
