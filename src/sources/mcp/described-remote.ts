import type { JsonObject } from '../../model/json-object.ts';
import { toValueTemplate } from '../../model/value-template.ts';
import type { McpServerSpec } from './mcp-source.ts';

/**
 * A remote server that was read with headers, in the format of `server.json`: an installation needs the same headers. The
 * values are references, never the secrets. Undefined without headers.
 */
export function describedRemote({ url, headers = {} }: McpServerSpec, transport: unknown): JsonObject | undefined {
  const given = Object.entries(headers);
  if (url === undefined || given.length === 0) return undefined;
  const { text, variables } = toValueTemplate(url);
  return {
    type: transport,
    url: text,
    ...(variables === undefined ? {} : { variables }),
    headers: given.map(([name, value]) => describedHeader(name, value)),
  };
}

function describedHeader(name: string, value: string): JsonObject {
  const header = { name, isRequired: true, isSecret: true };
  const { text, variables } = toValueTemplate(value);
  // The value is the variable alone, so that the header stands for itself.
  if (variables === undefined || /^\{[^{}]*\}$/.test(text)) return header;
  return { ...header, value: text, variables };
}
