import { createHash } from 'node:crypto';
import { canonicalJson } from '../../model/definitions.ts';
import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { ServerPlace } from '../../sources/mcp/callable-server.ts';
import type { McpServerSpec } from '../../sources/mcp/mcp-source.ts';
import type { Backend } from '../contract/tool-caller.ts';

/** How to reach a server: by its source if that was a command, an address or a configuration file, or else as it is registered. */
export function placeOf({ server, source }: Pick<Backend, 'server' | 'source'>): ServerPlace | undefined {
  if (source?.kind === 'mcp') {
    const { command, args, env, cwd, url, headers, transport } = source.locator as McpServerSpec;
    const spec = command === undefined ? { url, headers, transport } : { command, args, env, cwd };
    return { kind: 'mcp', spec: withoutUndefined(spec) };
  }
  const { file } = source?.locator ?? {};
  if (source?.kind === 'config' && typeof file === 'string') return { kind: 'config', file, part: source.part };
  const spec = registeredSpec(server);
  return spec === undefined ? undefined : { kind: 'mcp', spec };
}

/** Equal as long as a server is started or called the same way: an operator allows a place, not a name. */
export function placeDigestOf(backend: Pick<Backend, 'server' | 'source'>): string {
  return createHash('sha256')
    .update(canonicalJson(placeOf(backend) ?? null))
    .digest('hex')
    .slice(0, 32);
}

/** What somebody registered. It is used only after the operator has allowed it. */
function registeredSpec({
  mcp_endpoint,
  url,
  sse_endpoint,
  deployment,
  local_runtime,
}: McpServer): McpServerSpec | undefined {
  const address = mcp_endpoint ?? url;
  if (deployment === 'remote') {
    if (address !== undefined) return { url: address };
    return sse_endpoint === undefined ? undefined : { url: sse_endpoint, transport: 'sse' };
  }
  if (!isJsonObject(local_runtime)) return undefined;
  const { command, args, env, cwd, type, package: name, version } = local_runtime;
  const words = Array.isArray(args) ? args.map(String) : [];
  const names = Array.isArray(env) ? env.map(String) : isJsonObject(env) ? Object.keys(env) : [];
  const shared = {
    ...(names.length === 0 ? {} : { env: Object.fromEntries(names.map((one) => [one, `\${${one}}`])) }),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  };
  if (typeof command === 'string' && command !== '') return { command, args: words, ...shared };
  if (typeof type !== 'string' || typeof name !== 'string') return undefined;
  const wanted = typeof version === 'string' ? `${name}@${version}` : name;
  const before: Readonly<Record<string, readonly string[]>> = { npx: ['-y'], pipx: ['run'] };
  return { command: type, args: [...(before[type] ?? []), wanted, ...words], ...shared };
}

function withoutUndefined(spec: { readonly [K in keyof McpServerSpec]: McpServerSpec[K] | undefined }): McpServerSpec {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
