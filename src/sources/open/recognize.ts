import { type DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { FetchedDocument } from '../fetch/read-document.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { serverTable } from '../mcp/client-config.ts';
import type { SourceKind } from '../source.ts';

/** The kind of a source, from its content and not its name. Undefined if unknown. */
export function recognizeText(text: string): SourceKind | undefined {
  const start = text.trimStart();
  if (start.startsWith('---')) return 'skill';
  if (!/^[{/]/.test(start)) return undefined;
  try {
    return recognizeJson(parseJsonWithComments(text, 'The text'));
  } catch {
    return undefined;
  }
}

/** The fault of a text that looks like broken JSON. Undefined for valid JSON and for other text. */
export function brokenJson(text: string, subject: string): DowserError | undefined {
  if (!/^\s*(?:[{[]|\/[/*])/.test(text)) return undefined;
  try {
    parseJsonWithComments(text, subject);
    return undefined;
  } catch (thrown) {
    return toDowserError(thrown);
  }
}

/** Whether a text is JSON Lines, from its first two lines. */
export function isJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.length > 1 && lines.slice(0, 2).every((line) => brokenJson(line, '') === undefined && /^\s*\{/.test(line))
  );
}

function recognizeJson(value: unknown): SourceKind | undefined {
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

/** Whether this is how an MCP endpoint answers a plain GET: with a refusal or a stream. */
export function isMcpAnswer({ status, contentType, text }: FetchedDocument): boolean {
  if (contentType === 'text/event-stream') return true;
  if ([405, 406].includes(status)) return true;
  return /"jsonrpc"\s*:\s*"2\.0"/.test(text.slice(0, 10_000));
}
