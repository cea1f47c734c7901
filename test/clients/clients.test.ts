import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { HTTP_REQUESTS } from './http-requests.ts';
import { MCP_CALLS } from './mcp-calls.ts';

const served = () => serveRegistry({ embedder: openedEmbedder(new WordEmbedder()), background: false });

describe('the routes of the memory service', () => {
  let server: ServedRegistry;
  let hash = '';
  beforeAll(async () => {
    server = await served();
  });
  afterAll(() => server.close());

  it.each(HTTP_REQUESTS)('$client: $method $path', async ({ method, path, headers, body, status = 200, answer }) => {
    const { status: got, json } = await server.ask(method, path.replace('$hash', hash), {
      ...(body === undefined ? {} : { body: JSON.stringify(body).replaceAll('$hash', hash) }),
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    });
    hash ||= json?.content_hash ?? '';
    if (typeof answer === 'object' && answer !== null && !('asymmetricMatch' in answer))
      expect(json).toMatchObject(answer);
    else expect(json).toEqual(answer);
    expect(got).toBe(status);
  });
});

describe('the tools of the memory service', () => {
  let server: ServedRegistry;
  let client: Client;
  let hash = '';
  beforeAll(async () => {
    server = await served();
    client = new Client({ name: 'test', version: '0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp/memory`)) as never);
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  it('lists its 18 tools, and none of the old names', async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(18);
    expect(tools.every(({ name }) => /^(?:memory|mistake_note)_/.test(name))).toBe(true);
  });

  it.each(MCP_CALLS)('$client: $tool $arguments', async ({ tool, arguments: args, text, json, fails }) => {
    const filled = JSON.parse(JSON.stringify(args).replaceAll('$hash', hash)) as Record<string, unknown>;
    const result = await client.callTool({ name: tool, arguments: filled });
    const said = (result.content as { readonly text: string }[])[0]!.text;
    hash ||= /\(hash: ([0-9a-f]{64})\)/.exec(said)?.[1] ?? '';
    if (text !== undefined) expect(said).toMatch(text);
    if (json !== undefined) {
      expect(JSON.parse(said)).toMatchObject(json);
      // One client replaces them before it parses.
      expect(said).not.toContain("'");
    }
    expect(result.isError ?? false).toBe(fails ?? false);
  });
});
