import { isJsonObject } from '../model/json-object.ts';
import { serverTable } from './client-config.ts';
import { parseJsonWithComments } from './formats/json-with-comments.ts';
import type { SourceKind } from './source.ts';

/** What kind of source a text is, by what it says and not by what it is called; undefined when it is none of them. */
export function recogniseText(text: string): SourceKind | undefined {
  const start = text.trimStart();
  if (start.startsWith('---')) return 'skill';
  if (!/^[{/]/.test(start)) return undefined;
  try {
    return recogniseJson(parseJsonWithComments(text, 'The text'));
  } catch {
    return undefined;
  }
}

function recogniseJson(value: unknown): SourceKind | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Array.isArray(value.entries)) return 'ard';
  if (Array.isArray(value.servers)) return 'registry';
  if (serverTable(value) !== undefined) return 'config';
  const isCard =
    Array.isArray(value.supportedInterfaces) ||
    typeof value.protocolVersion === 'string' ||
    (Array.isArray(value.skills) && typeof value.url === 'string');
  if (typeof value.name === 'string' && isCard) return 'a2a';
  const schema = typeof value.$schema === 'string' ? value.$schema : '';
  const isNamed = typeof value.name === 'string' && /^[\w.-]+\/[\w.-]+$/.test(value.name);
  if (
    schema.includes('server.schema.json') ||
    (isNamed && (Array.isArray(value.packages) || Array.isArray(value.remotes)))
  ) {
    return 'server';
  }
  return undefined;
}

/** Whether an answer to a plain GET is how an MCP endpoint refuses one, or begins a stream. */
export function isMcpAnswer({
  status,
  contentType,
  text,
}: {
  status: number;
  contentType: string;
  text: string;
}): boolean {
  if (contentType === 'text/event-stream') return true;
  if ([405, 406].includes(status)) return true;
  return /"jsonrpc"\s*:\s*"2\.0"/.test(text.slice(0, 10_000));
}
