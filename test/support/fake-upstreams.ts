import type { Backend, CallView, FoundTool } from '../../src/calls/contract/tool-caller.ts';
import type { ToolCallerParts } from '../../src/calls/create-tool-caller.ts';
import type { Definition } from '../../src/model/definitions.ts';
import type { McpServer } from '../../src/model/entity.ts';
import { parseEntity } from '../../src/model/entity.ts';
import type { CallableServer } from '../../src/sources/mcp/callable-server.ts';
import { Redactor } from '../../src/sources/secrets/redactor.ts';

export interface Executed {
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
}

export interface FakeTool {
  readonly name: string;
  readonly annotations?: object;
  readonly inputSchema?: object;
}

/** Servers without processes: what is sent to them is written down. */
export function fakeUpstreams(servers: Readonly<Record<string, readonly FakeTool[]>>) {
  const executed: Executed[] = [];
  const all = new Map<string, FoundTool>();
  for (const [path, tools] of Object.entries(servers)) {
    const listed = tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
    const { entity } = parseEntity({ type: 'mcp_server', path, name: path.slice(1), tools: listed });
    for (const tool of listed) {
      const backend: Backend = {
        server: entity as McpServer,
        tool: tool.name,
        accepted: tool as unknown as Definition,
        definition: '0123456789ab',
        isDrifted: false,
        source: { kind: 'mcp', locator: {}, part: '', key: path },
        isShared: true,
      };
      all.set(`${path}#${tool.name}`, { path: `${path}#${tool.name}`, server: entity as McpServer, backend });
    }
  }
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const view: CallView = {
    find: async (path) => all.get(path) ?? all.get(`/${path}`),
    serversNamed: async (name) => Object.keys(servers).filter((path) => plain(path) === plain(name)),
    near: async () => [],
  };
  const connect = async ({ server: { path } }: Backend): Promise<CallableServer> => {
    const request = async ({ params }: { params: { name: string; arguments: unknown } }) => {
      executed.push({ server: path, tool: params.name, arguments: params.arguments });
      return { content: [{ type: 'text', text: 'ok' }] };
    };
    const opened = {
      client: { request },
      watchTools: () => {},
      transport: 'stdio',
      isModern: true,
      child: undefined,
      failure: (thrown: unknown) => thrown,
      onClose: () => {},
      close: async () => {},
    };
    const tools = (servers[path] ?? []).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
    return {
      key: path,
      title: path,
      usesCredentials: false,
      url: undefined,
      open: async () => opened as never,
      listTools: async () => tools as never,
      redactor: () => new Redactor([]),
    };
  };
  const parts: Omit<ToolCallerParts, 'limit' | 'rules'> = {
    isTrusted: () => true,
    connect,
    pool: { perServer: 3, total: 100, idleMs: 0, startWaitMs: 60_000, atOnce: 1000, queueMs: 60_000, listMs: 60_000 },
    silentMs: 60_000,
    totalMs: 60_000,
    rate: 0,
  };
  return { executed, view, parts };
}
