import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { slugOf } from '../../model/text/slug.ts';
import { fileSource } from '../fetch/file-source.ts';
import { inOrder } from '../fetch/in-order.ts';
import { readTextFile } from '../fetch/read-document.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import type { Source, SourceContext, SourceItem } from '../source.ts';
import { type McpServerSpec, readMcpServer } from './mcp-source.ts';

/** How many servers are started at once. Each is a process, and starting takes most of the time. */
const AT_ONCE = 6;

/** How many fields of an invalid entry are listed. */
const MAX_FIELDS = 5;

/** One server of a client's configuration, or why it is invalid. */
export type ConfiguredServer = { readonly name: string } & (
  | { readonly spec: McpServerSpec }
  | { readonly problem: DowserError }
  | { readonly skipped: string }
);

/**
 * The servers of a client's configuration: `mcpServers` (Claude, Cursor, Windsurf, Cline, Gemini), `servers` (VS Code's
 * mcp.json), `mcp.servers` (VS Code's settings) or `context_servers` (Zed). Undefined if it has none of them.
 */
export function serverTable(config: unknown): JsonObject | undefined {
  if (!isJsonObject(config)) return undefined;
  const { mcp } = config;
  const tables = [
    config.mcpServers,
    config.servers,
    isJsonObject(mcp) ? mcp.servers : undefined,
    config['mcp.servers'],
    config.context_servers,
  ];
  return tables.find(isJsonObject);
}

/** Every server of a configuration, in order. An invalid one does not stop the others. */
export function readClientConfig(config: unknown): readonly ConfiguredServer[] {
  const table = serverTable(config);
  if (table === undefined) {
    throw new DowserError('INVALID_FILE', 'The file has no list of MCP servers.', {
      hint: "A client's configuration has it under 'mcpServers' or 'servers'.",
    });
  }
  const taken = new Map<string, number>();
  return Object.entries(table).map(([name, entry]) => {
    if (isJsonObject(entry) && (entry.disabled === true || entry.enabled === false))
      return { name, skipped: 'disabled' };
    try {
      const slug = slugOf(name);
      const count = (taken.get(slug) ?? 0) + 1;
      taken.set(slug, count);
      return { name, spec: toSpec(name, count === 1 ? name : `${name}-${count}`, entry) };
    } catch (thrown) {
      return { name, problem: toDowserError(thrown) };
    }
  });
}

function toSpec(key: string, name: string, entry: unknown): McpServerSpec {
  const bad = (field: string, why: string) =>
    new DowserError('INVALID_FILE', `'${key}.${field}' of the configuration ${why}.`, { field: `${key}.${field}` });
  if (!isJsonObject(entry))
    throw new DowserError('INVALID_FILE', `'${key}' of the configuration is ${showValue(entry)}, not an object.`);
  // Zed nests the program under `command`.
  const own = isJsonObject(entry.command) ? { ...entry, ...entry.command, command: entry.command.path } : entry;
  const texts = (field: string): Readonly<Record<string, string>> => {
    const value = own[field];
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) throw bad(field, 'must be an object');
    // The value may be a secret, so show only its name.
    return Object.fromEntries(
      Object.entries(value).map(([inner, item]) => {
        if (typeof item === 'object') throw bad(`${field}.${inner}`, 'must be text');
        return [inner, String(item)];
      }),
    );
  };
  const url = [own.url, own.serverUrl, own.httpUrl].find((value) => typeof value === 'string');
  const kind = String(own.type ?? own.transport ?? '').toLowerCase();
  if (typeof own.command === 'string' && own.command.trim() !== '') {
    const args = own.args ?? [];
    if (!Array.isArray(args) || args.some((arg) => typeof arg === 'object'))
      throw bad('args', 'must be a list of strings');
    return {
      name,
      command: own.command,
      args: args.map(String),
      env: texts('env'),
      ...(typeof own.cwd === 'string' ? { cwd: own.cwd } : {}),
    };
  }
  if (typeof url === 'string')
    return { name, url, headers: texts('headers'), ...(kind === 'sse' ? { transport: 'sse' } : {}) };
  if (own.command !== undefined && typeof own.command !== 'string')
    throw bad('command', "must be text: the program alone, with its arguments in 'args'");
  const fields = Object.keys(entry).slice(0, MAX_FIELDS).map(showValue).join(', ');
  throw new DowserError('INVALID_FILE', `'${key}' of the configuration has neither 'command' nor 'url'.`, {
    field: key,
    hint: `Add the 'command' that starts the server, with 'args', or its 'url'. The entry has ${fields === '' ? 'no fields' : fields}.`,
  });
}

/** The folder that `.vscode/mcp.json`, `.cursor/mcp.json` or `.mcp.json` belongs to. */
function workspaceOf(file: string): string {
  const folder = dirname(file);
  return basename(folder).startsWith('.') ? dirname(folder) : folder;
}

/** References that a configuration may use besides variables of the environment. */
function knownIn(file: string): Readonly<Record<string, string>> {
  const workspace = workspaceOf(file);
  return { workspaceFolder: workspace, workspaceRoot: workspace, userHome: homedir(), pathSeparator: '/' };
}

const inWorkspace = (spec: McpServerSpec, file: string): McpServerSpec =>
  spec.cwd === undefined ? spec : { ...spec, cwd: resolve(workspaceOf(file), spec.cwd) };

/** One server of a configuration file, and what its references may name. Throws NOT_FOUND if the file no longer has it. */
export async function configuredServer(
  file: string,
  part: string,
  maxBytes: number,
): Promise<{ readonly spec: McpServerSpec; readonly known: Readonly<Record<string, string>> }> {
  const text = await readTextFile(file, maxBytes);
  const found = readClientConfig(parseJsonWithComments(text, file)).find(({ name }) => name === part);
  if (found !== undefined && 'spec' in found) return { spec: inWorkspace(found.spec, file), known: knownIn(file) };
  if (found !== undefined && 'problem' in found) throw found.problem;
  throw new DowserError('NOT_FOUND', `${file} ${found === undefined ? 'has no' : 'disables the'} server '${part}'.`, {
    hint: 'Run `dowser refresh` to read the file again.',
  });
}

/** All servers of a client's configuration file. Secrets are not stored; each reading takes them from the file. */
export function clientConfigSource(path: string, context: SourceContext): Source {
  const traits = { kind: 'config', live: true, directory: false } as const;
  return fileSource(path, context, traits, ({ text, file, signal }) => {
    const known = knownIn(file);
    const servers = readClientConfig(parseJsonWithComments(text, file));
    return inOrder(servers, AT_ONCE, signal, async (server): Promise<SourceItem> => {
      const { name: part } = server;
      if (!('spec' in server))
        return 'skipped' in server ? { part, skipped: server.skipped } : { part, problem: server.problem };
      try {
        const spec = inWorkspace(server.spec, file);
        const subject = `The server '${part}' of ${file}`;
        return { part, ...(await readMcpServer(spec, { ...context, signal, known, subject })) };
      } catch (thrown) {
        signal.throwIfAborted();
        return { part, problem: toDowserError(thrown) };
      }
    });
  });
}
