import { join } from 'node:path';
import { Client as CurrentClient, StreamableHTTPClientTransport as CurrentHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as CurrentStdio } from '@modelcontextprotocol/client/stdio';
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as PreviousStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as PreviousHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAIN, type Sandbox } from './cli-process.ts';

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The part of both official clients that the tests use. */
export interface McpClient {
  listTools(): Promise<readonly ListedTool[]>;
  call(name: string, args: object): Promise<CallResult>;
  instructions(): string | undefined;
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
}

const IDENTITY = { name: 'dowser-tests', version: '1' };

/** The same machine of its own that the sandbox gives its commands. */
const command = ({ dir, data }: Sandbox) => ({
  command: process.execPath,
  args: [MAIN, 'mcp'],
  env: {
    PATH: process.env.PATH ?? '',
    HOME: dir,
    TMPDIR: dir,
    DOWSER_DATA: data,
    DOWSER_MODELS: join(dir, 'models'),
    EMBEDDINGS_PROVIDER: 'off',
  },
  stderr: 'pipe' as const,
});

/** The client of the current revision; `auto` finds out which one the server speaks, a revision insists on it. */
export async function currentClient(to: Sandbox | URL, version = '2026-07-28'): Promise<McpClient> {
  const client = new CurrentClient(IDENTITY, {
    versionNegotiation: { mode: version === 'auto' ? 'auto' : { pin: version } },
  });
  await client.connect(to instanceof URL ? new CurrentHttp(to) : new CurrentStdio(command(to)));
  return connected(client);
}

/** The client of the revisions before. */
export async function previousClient(to: Sandbox | URL): Promise<McpClient> {
  const client = new PreviousClient(IDENTITY);
  await client.connect((to instanceof URL ? new PreviousHttp(to) : new PreviousStdio(command(to))) as Transport);
  return connected(client);
}

/** What the tests ask, of either library. */
const connected = (client: CurrentClient | PreviousClient): McpClient => ({
  listTools: async () => (await client.listTools()).tools as readonly ListedTool[],
  call: async (name, args) =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallResult,
  instructions: () => client.getInstructions(),
  readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
  close: () => client.close(),
});

function textOf(contents: readonly object[]): string {
  return (contents[0] as { text?: string } | undefined)?.text ?? '';
}
