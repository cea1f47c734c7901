import {
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { DowserError } from '../../model/errors/errors.ts';
import { networkReason } from '../fetch/bounded-fetch.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { ChildTransport } from './child-transport.ts';
import type { McpServerSpec } from './mcp-source.ts';
import { NotRefreshed } from './sign-in/stored-sign-in.ts';
import { FETCHING_PACKAGE } from './start-watch.ts';
import { tellingLines } from './telling-lines.ts';
import { Late } from './time-limit.ts';

const STRAY_CHARS = 200;

/** Why a server could not be read, for people. `answer` is the last HTTP response. */
export function connectionFailure(
  spec: McpServerSpec,
  thrown: unknown,
  child: ChildTransport | undefined,
  answer: Response | undefined,
): DowserError {
  const why = reasonOf(spec, thrown, child) ?? strangeAnswer(thrown, answer) ?? noAnswer(thrown);
  const said = child?.stderr.trim() ?? '';
  const told = tellingLines(said);
  const heard = told === '' ? '' : ` It wrote: ${told}`;
  const stray = strayText(child);
  // A server that requires authorization is alive.
  const code = isUnauthorized(thrown) ? 'FORBIDDEN' : 'SOURCE_UNREACHABLE';
  return new DowserError(code, `The server ${why}.${stray}${heard}`, {
    hint: isWebPage(answer) && !isUnauthorized(thrown) ? WHAT_CAN_BE_ADDED : hintFor(spec, thrown, stray !== ''),
    cause: thrown,
  });
}

function reasonOf({ command }: McpServerSpec, thrown: unknown, child: ChildTransport | undefined): string | undefined {
  if (thrown instanceof Late || thrown instanceof NotRefreshed) return thrown.message;
  if (child?.outcome != null) return child.outcome;
  const { code } = thrown as NodeJS.ErrnoException;
  if (command !== undefined && code === 'ENOENT') return `cannot be started: program '${command}' not found`;
  if (command !== undefined && code === 'EACCES') return `cannot be started: '${command}' is not executable`;
  if (isUnauthorized(thrown)) return 'requires authorization';
  if (thrown instanceof SdkHttpError) return `answers ${thrown.status}, not with MCP`;
  if (thrown instanceof ProtocolError) return `answers with an error: ${thrown.message.replace(/\.$/, '')}`;
  return undefined;
}

const noAnswer = (thrown: unknown): string => `does not answer (${networkReason(thrown).replace(/\.$/, '')})`;

const WHAT_CAN_BE_ADDED =
  'Use the address of an MCP server (often ending in /mcp), an A2A agent, a registry or a SKILL.md.';

const isWebPage = (answer: Response | undefined): boolean =>
  /^text\/html\b|^application\/xhtml/i.test(answer?.headers.get('content-type') ?? '');

/** Whether the server answers, but not with MCP. Undefined for a network failure, which has a code. */
function strangeAnswer(thrown: unknown, answer: Response | undefined): string | undefined {
  if (answer === undefined) return undefined;
  if (!answer.ok) return `answers ${answer.status}, not with MCP`;
  if (isWebPage(answer)) return 'answers with a web page, not with MCP';
  return /^[A-Z][A-Z0-9_]+$/.test(networkReason(thrown)) ? undefined : 'answers, but not with MCP';
}

/** Whether a server refused a request for want of credentials. */
export function isUnauthorized(thrown: unknown): boolean {
  const status = thrown instanceof SdkHttpError ? thrown.status : thrown instanceof SseError ? thrown.code : undefined;
  return thrown instanceof UnauthorizedError || status === 401 || status === 403;
}

function hintFor({ command, url = '' }: McpServerSpec, thrown: unknown, hasStray: boolean): string {
  if (isUnauthorized(thrown))
    return `Sign in with \`dowser login ${publicUrl(url).text}\`, or send its key with --header, such as --header 'Authorization: Bearer \${API_KEY}'.`;
  if (thrown instanceof Late && thrown.message.includes(FETCHING_PACKAGE))
    return 'Run the same command again: it goes on with what was fetched. Or raise source_start_ms, or --timeout.';
  if (hasStray)
    return 'A server over stdio prints only JSON-RPC on stdout, and its log on stderr. Check the command, or the address if it serves HTTP.';
  if (thrown instanceof Late) return 'Start it by hand to see what it waits for, or raise --timeout.';
  if (command !== undefined)
    return 'Start it by hand to see what it needs. Pass environment variables with --env NAME.';
  return `Check the address, and that the server supports MCP (such as ${LATEST_PROTOCOL_VERSION}).`;
}

/** What a program that is not an MCP server over stdio prints: its help, or the port that it listens on. */
function strayText(child: ChildTransport | undefined): string {
  const text = child?.stray.replace(/\s+/g, ' ').slice(0, STRAY_CHARS) ?? '';
  return text === '' ? '' : ` It printed text that is not JSON-RPC on stdout: ${text}`;
}
