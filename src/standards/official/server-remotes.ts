import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { toValueTemplate } from '../../model/text/value-template.ts';
import { webUrl } from '../text/fitting-text.ts';
import { isFirst } from '../text/is-first.ts';

export type ServerRemote = Record<string, unknown> & { readonly type: string; readonly url: string };

const TRANSPORTS = ['streamable-http', 'sse'];

/** Where a server is hosted: its published `remotes` as they came, after any endpoint that they do not name. */
export function remotesOf(server: McpServer): readonly ServerRemote[] {
  const described = (Array.isArray(server.metadata.remotes) ? server.metadata.remotes : []).filter(isRemote);
  const known = new Set(described.map(keyOf));
  return [...endpointsOf(server).filter((remote) => !known.has(keyOf(remote))), ...described].filter(isFirst());
}

function endpointsOf(server: McpServer): readonly ServerRemote[] {
  const { mcp_endpoint, sse_endpoint, url, deployment, supported_transports } = server;
  const remotes: ServerRemote[] = [];
  if (deployment !== 'remote') return remotes;
  const onlySse = supported_transports.includes('sse') && supported_transports.every((name) => name === 'sse');
  const main = webUrl(mcp_endpoint ?? (sse_endpoint === undefined ? url : undefined));
  if (main !== undefined) remotes.push(remoteAt(onlySse ? 'sse' : 'streamable-http', main));
  const sse = webUrl(sse_endpoint);
  if (sse !== undefined) remotes.push(remoteAt('sse', sse));
  return remotes;
}

function remoteAt(type: string, address: string): ServerRemote {
  const { text: url, variables } = toValueTemplate(address);
  return { type, url, ...(variables === undefined ? {} : { variables }) };
}

const keyOf = ({ type, url }: ServerRemote) => `${type} ${webUrl(url) ?? url}`;

function isRemote(value: unknown): value is ServerRemote {
  if (!isJsonObject(value)) return false;
  const { type, url } = value;
  return (
    typeof type === 'string' && TRANSPORTS.includes(type) && typeof url === 'string' && /^https?:\/\/\S+$/i.test(url)
  );
}
