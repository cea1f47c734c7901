import type { McpServer } from '../model/entity.ts';
import { isJsonObject } from '../model/json-object.ts';
import { webUrl } from './fitting-text.ts';

export type ServerRemote = Record<string, unknown> & { readonly type: string; readonly url: string };

const TRANSPORTS = ['streamable-http', 'sse'];

/** Where a server is hosted: its endpoints, then the `remotes` of its metadata. */
export function remotesOf(server: McpServer): readonly ServerRemote[] {
  const { mcp_endpoint, sse_endpoint, url, deployment, supported_transports, metadata } = server;
  const remotes: ServerRemote[] = [];
  if (deployment === 'remote') {
    const onlySse = supported_transports.includes('sse') && supported_transports.every((name) => name === 'sse');
    const main = webUrl(mcp_endpoint ?? (sse_endpoint === undefined ? url : undefined));
    if (main !== undefined) remotes.push({ type: onlySse ? 'sse' : 'streamable-http', url: main });
    const sse = webUrl(sse_endpoint);
    if (sse !== undefined) remotes.push({ type: 'sse', url: sse });
  }
  const described = (Array.isArray(metadata.remotes) ? metadata.remotes : []).filter(isRemote);
  const seen = new Set<string>();
  return [...remotes, ...described].filter((remote) => {
    const key = `${remote.type} ${remote.url}`;
    return !seen.has(key) && seen.add(key);
  });
}

function isRemote(value: unknown): value is ServerRemote {
  if (!isJsonObject(value)) return false;
  const { type, url } = value;
  return typeof type === 'string' && TRANSPORTS.includes(type) && typeof url === 'string' && /^https?:\/\//i.test(url);
}
