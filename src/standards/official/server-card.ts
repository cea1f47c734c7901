import type { McpServer, VirtualServer } from '../../model/entity.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { clipText } from '../text/fitting-text.ts';
import { toServerDetail, versionOf } from './server-json.ts';

/** The schema of server cards (SEP-2127). It allows no other fields than those below. */
export const SERVER_CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

const INPUT = ['choices', 'default', 'description', 'format', 'isRequired', 'isSecret', 'placeholder', 'value'];
const ICON = ['src', 'mimeType', 'sizes', 'theme'];
const MAX_CHARS = 100;

/** The card of a server: who it is and where it runs. How to install it is not part of a card. */
export function toServerCard(server: McpServer, name: string): JsonObject {
  const { $schema: _, packages: _packages, remotes, icons, ...identity } = toServerDetail(server, name);
  return {
    $schema: SERVER_CARD_SCHEMA,
    ...identity,
    ...(icons === undefined ? {} : { icons: icons.map((icon) => only(icon, ICON)) }),
    ...(remotes === undefined ? {} : { remotes: remotes.map(toRemote) }),
  };
}

/** A virtual server has no address of its own. */
export function toVirtualCard(server: VirtualServer, name: string): JsonObject {
  const title = clipText(server.name, MAX_CHARS);
  const description = clipText(server.description, MAX_CHARS);
  const said = [description, title].find((text) => text !== '') ?? clipText(name, MAX_CHARS);
  const version = versionOf(server.version);
  return { $schema: SERVER_CARD_SCHEMA, name, ...(title === '' ? {} : { title }), description: said, version };
}

function toRemote(remote: JsonObject): JsonObject {
  const { headers, variables } = remote;
  return {
    ...only(remote, ['type', 'url', 'supportedProtocolVersions']),
    ...(Array.isArray(headers) ? { headers: headers.filter(isJsonObject).map(toHeader) } : {}),
    ...toVariables(variables),
  };
}

const toHeader = (header: JsonObject): JsonObject => ({
  ...only(header, ['name', ...INPUT]),
  ...toVariables(header.variables),
});

function toVariables(variables: unknown): JsonObject {
  if (!isJsonObject(variables)) return {};
  const inputs = Object.entries(variables).filter(([, input]) => isJsonObject(input));
  return { variables: Object.fromEntries(inputs.map(([name, input]) => [name, only(input as JsonObject, INPUT)])) };
}

function only(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
