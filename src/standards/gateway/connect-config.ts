import { z } from 'zod';
import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { slugOf } from '../../model/text/slug.ts';
import { remotesOf } from '../official/server-remotes.ts';

const clientServerSchema = z.union([
  z.object({ type: z.string(), url: z.string() }),
  z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()).exactOptional() }),
]);
type ClientServer = z.output<typeof clientServerSchema>;

export const connectConfigSchema = z.object({
  path: z.string(),
  server_name: z.string(),
  auth_scheme: z.string().describe('`none` if the server names none.'),
  auth_header_name: z.string().nullable(),
  custom_headers: z.array(z.object({ name: z.string(), value: z.string() })).describe('Empty: no headers are stored.'),
  decrypt_failures: z.int().describe('Always 0: no secrets are stored.'),
  mcpServers: z
    .record(z.string(), clientServerSchema)
    .describe('For the configuration file of an MCP client. Empty if there is neither an address nor a command.'),
});
export type ConnectConfig = z.output<typeof connectConfigSchema>;

/** Where callers put their key, by the authentication scheme. */
const AUTH_HEADERS: Readonly<Record<string, string>> = { bearer: 'Authorization', api_key: 'X-API-Key' };

/** The programs that start a package, with the arguments before its name. */
const STARTERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  npx: ['npx', '-y'],
  bunx: ['bunx'],
  uvx: ['uvx'],
  pipx: ['pipx', 'run'],
  docker: ['docker', 'run', '-i', '--rm'],
};

/** What a client needs to connect to a server. */
export function toConnectConfig(server: McpServer): ConnectConfig {
  const { path, name, auth_scheme = 'none' } = server;
  const client = clientServerOf(server);
  const key = slugOf(name) === '' ? 'server' : slugOf(name);
  return {
    path,
    server_name: name,
    auth_scheme,
    auth_header_name: AUTH_HEADERS[auth_scheme] ?? null,
    custom_headers: [],
    decrypt_failures: 0,
    mcpServers: client === undefined ? {} : { [key]: client },
  };
}

function clientServerOf(server: McpServer): ClientServer | undefined {
  const [remote] = remotesOf(server);
  if (remote !== undefined) return { type: remote.type === 'sse' ? 'sse' : 'http', url: remote.url };
  return isJsonObject(server.local_runtime) ? commandOf(server.local_runtime) : undefined;
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** `{type, package, version, args, env}`, or `{command, args, env}`. `env` names variables or gives their values. */
function commandOf(runtime: Readonly<Record<string, unknown>>): ClientServer | undefined {
  const { type, command, version } = runtime;
  const args = textsOf(runtime.args);
  const env = envOf(runtime.env);
  if (typeof command === 'string' && command !== '') return { command, args, ...env };
  const starter = typeof type === 'string' ? STARTERS[type] : undefined;
  if (starter === undefined || typeof runtime.package !== 'string') return undefined;
  const [program, ...before] = starter;
  const joint = type === 'docker' ? ':' : '@';
  const image = typeof version === 'string' ? `${runtime.package}${joint}${version}` : runtime.package;
  return { command: program, args: [...before, image, ...args], ...env };
}

function envOf(env: unknown): { env?: Record<string, string> } {
  const pairs = isJsonObject(env)
    ? Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
    : textsOf(env).map((name) => [name, `\${${name}}`] as const);
  return pairs.length === 0 ? {} : { env: Object.fromEntries(pairs) };
}
