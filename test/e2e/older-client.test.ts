import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

/**
 * A client of the older registry, written from the shapes of its document alone: it registers by form, searches with two
 * fields, and reads `servers`, `tools` and `agents`. It knows nothing else of Dowser.
 */
class OlderClient {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  async registerServer(fields: Record<string, string>): Promise<{ path: string; name: string; message: string }> {
    const response = await fetch(`${this.#base}/api/servers/register`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`);
    return (await response.json()) as { path: string; name: string; message: string };
  }

  async registerAgent(card: object): Promise<void> {
    const response = await fetch(`${this.#base}/api/agents/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(card),
    });
    if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`);
  }

  async toggle(path: string, on: boolean): Promise<void> {
    const body = new URLSearchParams({ path, new_state: String(on) });
    const response = await fetch(`${this.#base}/api/servers/toggle`, { method: 'POST', body });
    if (!response.ok) throw new Error(`toggle: ${response.status}`);
  }

  async search(query: string, max_results = 10): Promise<OlderAnswer> {
    const response = await fetch(`${this.#base}/api/search/semantic`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, entity_types: ['mcp_server', 'a2a_agent'], max_results }),
    });
    return (await response.json()) as OlderAnswer;
  }

  async list(query: string): Promise<string[]> {
    const response = await fetch(`${this.#base}/api/servers?query=${encodeURIComponent(query)}`);
    const { servers } = (await response.json()) as { servers: { path: string }[] };
    return servers.map(({ path }) => path);
  }
}

interface OlderAnswer {
  readonly search_mode: string;
  readonly servers: readonly {
    readonly path: string;
    readonly server_name: string;
    readonly relevance_score: number;
    readonly matching_tools: readonly { readonly tool_name: string; readonly description: string }[];
  }[];
  readonly tools: readonly {
    readonly server_path: string;
    readonly tool_name: string;
    readonly inputSchema: Record<string, unknown> | null;
  }[];
  readonly agents: readonly { readonly path: string; readonly relevance_score: number }[];
}

const QUERY_DOCS = {
  name: 'query-docs',
  description: 'Fetch documentation of a library',
  inputSchema: { type: 'object', properties: { library: { type: 'string' } } },
};

describe('a client of the older registry', () => {
  let served: ServedRegistry;
  let client: OlderClient;
  const embedder = new WordEmbedder([['documentation', 'docs', 'manual']]);

  beforeAll(async () => {
    served = await serveRegistry({ embedder: openedEmbedder(embedder) });
    client = new OlderClient(served.url);
    const registered = await client.registerServer({
      name: 'Context7 MCP Server',
      description: 'Up-to-date code documentation',
      path: '/context7',
      proxy_pass_url: 'https://mcp.context7.test/mcp',
      tags: 'documentation,libraries',
      tool_list_json: JSON.stringify([QUERY_DOCS, { name: 'resolve-library-id', description: 'Resolve a name' }]),
    });
    expect(registered).toMatchObject({ path: '/context7', name: 'Context7 MCP Server' });
    await client.registerServer({
      name: 'Current Time',
      description: 'Tells what time it is',
      path: 'currenttime',
      proxy_pass_url: 'http://localhost:8000',
    });
    await client.registerAgent({
      name: 'Library Agent',
      description: 'Answers questions from the manual of a library',
      url: 'https://agent.test/a2a',
      supportedProtocol: 'a2a',
      skills: [{ id: 'answer', name: 'Answer', description: 'Answer from documentation', tags: ['docs'] }],
    });
  });
  afterAll(() => served.close());

  it('finds what it registered, with the tools that match and their schemas', async () => {
    const { search_mode, servers, tools } = await client.search('context7 docs');
    expect(search_mode).toBe('hybrid');
    expect(servers[0]).toMatchObject({ path: '/context7', server_name: 'Context7 MCP Server', relevance_score: 1 });
    expect(servers[0]!.matching_tools[0]).toMatchObject({
      tool_name: 'query-docs',
      description: QUERY_DOCS.description,
    });
    expect(tools[0]).toMatchObject({
      server_path: '/context7',
      tool_name: 'query-docs',
      inputSchema: QUERY_DOCS.inputSchema,
    });
  });

  it('finds agents beside servers, and every score from 0 to 1', async () => {
    const { servers, agents } = await client.search('answers from the manual');
    expect(agents.map(({ path }) => path)).toEqual(['/library-agent']);
    for (const { relevance_score } of [...servers, ...agents]) {
      expect(relevance_score).toBeGreaterThanOrEqual(0);
      expect(relevance_score).toBeLessThanOrEqual(1);
    }
  });

  it('goes on by keyword while the model is down, and is told', async () => {
    embedder.fail();
    const { search_mode, servers } = await client.search('context7');
    embedder.recover();
    expect([search_mode, servers[0]?.path]).toEqual(['lexical-only', '/context7']);
  });

  it('no longer finds what it switched off', async () => {
    await client.toggle('/context7', false);
    expect((await client.search('context7 docs')).servers.map(({ path }) => path)).not.toContain('/context7');
    await client.toggle('/context7', true);
    expect((await client.search('context7 docs')).servers[0]?.path).toBe('/context7');
  });

  it('lists by substring, whatever the case', async () => {
    expect(await client.list('CODE DOCUMENTATION')).toEqual(['/context7']);
    expect(await client.list('TIME')).toEqual(['/currenttime']);
  });
});
