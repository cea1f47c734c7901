import { answerOf } from '../ask.ts';
import { randomOf } from '../random.ts';
import {
  type FuzzRequest,
  type ListedTool,
  mcpRequests,
  type OpenApi,
  type RequestMaker,
  restRequests,
} from './fuzz-requests.ts';
import { KNOWN_PATHS } from './json-schema.ts';

export interface FuzzReport {
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers that blame the server for a bad request, and connections that broke. */
  readonly problems: readonly string[];
}

const CLIENTS = 8;
/** Codes of the 5xx range that blame no bug: a route that is not offered, and another server that does not answer. */
const ALLOWED = ['NOT_IMPLEMENTED', 'SOURCE_UNREACHABLE'];
/** A tool that fails answers 200. */
const INTERNAL = /"code":"INTERNAL"|Internal error/;
/** The MCP library has one code for its own failures and for messages whose fields are wrong, which it lists. */
const MCP_FAILURE = '"code":-32603';
const WRONG_FIELDS = /\\"path\\": \[/;

/** Sends random requests of every operation and every MCP tool. A seed and the number of a request make it again. */
export async function fuzz(url: string, requests: number, seed: number): Promise<FuzzReport> {
  await putKnown(url);
  const makers = await makersOf(url);
  const statuses: Record<string, number> = {};
  const problems: string[] = [];
  let sent = 0;
  const client = async () => {
    while (sent < requests) {
      const number = sent++;
      const random = randomOf(seed + number);
      const request = random.pick(makers)(random);
      const answer = await send(url, request).catch((error: unknown) => ({ status: 0, text: String(error) }));
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (isFault(answer)) problems.push(`--seed ${seed + number}: ${shown(request)}: ${shortened(answer.text)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { statuses, problems };
}

/** Entities at the paths that requests name, so that some of them do more than find nothing. */
async function putKnown(url: string): Promise<void> {
  for (const type of ['mcp_server', 'tool', 'skill', 'document'])
    for (const path of KNOWN_PATHS) {
      const body = { type, path, name: `${type} ${path}`, description: 'Sends mail.', ...TEXT_OF[type] };
      await answerOf(url, 'POST', '/api/entities', body);
    }
}

const TEXT_OF: Readonly<Record<string, object>> = {
  mcp_server: { tools: [{ name: 'send', description: 'Send a mail.' }] },
  document: { content: 'How to send a mail.' },
};

/** As many of MCP as of REST: there are fewer tools than operations. */
async function makersOf(url: string): Promise<readonly RequestMaker[]> {
  const rest = restRequests(await answerOf<OpenApi>(url, 'GET', '/openapi.json'));
  const mcp = mcpRequests(await toolsOf(url));
  return [...rest, ...rest.map((_, n) => mcp[n % mcp.length]!)];
}

async function toolsOf(url: string): Promise<readonly ListedTool[]> {
  const { text } = await send(url, {
    method: 'POST',
    path: '/mcp',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const line = text.split('\n').find((one) => one.startsWith('data: '));
  if (line === undefined) throw new Error(`The MCP server lists no tools: ${text}`);
  return (JSON.parse(line.slice('data: '.length)) as { result: { tools: ListedTool[] } }).result.tools;
}

async function send(url: string, { method, path, headers, body }: FuzzRequest) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text() };
}

function isFault({ status, text }: { readonly status: number; readonly text: string }): boolean {
  if (status === 0 || INTERNAL.test(text)) return true;
  if (text.includes(MCP_FAILURE) && !WRONG_FIELDS.test(text)) return true;
  return status >= 500 && !ALLOWED.some((code) => text.includes(`"${code}"`));
}

const MAX_SHOWN = 400;
const shortened = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text);
const shown = ({ method, path, body }: FuzzRequest) =>
  shortened(`${method} ${path} ${typeof body === 'string' ? body : ''}`);
