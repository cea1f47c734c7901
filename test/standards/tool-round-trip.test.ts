import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { readMcpServer } from '../../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS } from '../../src/sources/source.ts';
import { standardsServer } from '../support/standards-server.ts';

/** The published servers: whatever the official client lists of their tools, Dowser keeps and serves. */
const program = (name: string) =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  everything: ['stdio'],
  filesystem: [fileURLToPath(new URL('.', import.meta.url))],
  memory: [],
};

async function officialTools(command: string, args: readonly string[]) {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'ignore' }));
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}

it.each(Object.entries(SERVERS))(
  'every tool of %s is served as the server defines it',
  { timeout: 60_000 },
  async (name, more) => {
    const spec = { command: process.execPath, args: [program(name), ...more] };
    const tools = await officialTools(spec.command, spec.args);
    expect(tools.length).toBeGreaterThan(5);
    const { signal } = new AbortController();
    const { entity } = await readMcpServer(spec, {
      env: {},
      version: '0',
      limits: DEFAULT_LIMITS,
      signal,
      subject: 'The server',
    });
    const site = await standardsServer([entity]);
    const { json } = await site.get(`/api/entities/mcp_server/${String(entity.path).slice(1)}`);
    const served = json.entity.tools.map(({ examples: _examples, ...tool }: { examples: unknown }) => tool);
    expect(served).toEqual(tools.map(({ description = '', ...tool }) => ({ ...tool, description })));
    await site.close();
  },
);
