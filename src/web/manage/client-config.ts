import { isObject, type JsonObject } from '../data/json.ts';

/** A server of a pasted client configuration: what tells it from others, and nothing that may be secret. */
export interface ConfiguredServer {
  readonly name: string;
  readonly url?: string;
  /** The arguments of its command that may name a package. */
  readonly args?: readonly string[];
}

/** The keys under which clients keep their servers, as `dowser registry check` reads them. */
const KEYS = ['mcpServers', 'servers', 'mcp.servers', 'context_servers'] as const;

/** What is wrong with a configuration, for its reader. */
class InvalidConfig extends Error {
  readonly code = 'MALFORMED_JSON';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The servers of a configuration of Cursor, Claude, VS Code or Zed. Comments are allowed. Throws if it has no list of servers. */
export function serversOf(text: string): readonly ConfiguredServer[] {
  const config = parse(withoutComments(text));
  const inner = isObject(config) && isObject(config.mcp) ? { ...config, ...config.mcp } : config;
  const table = isObject(inner) ? KEYS.map((name) => inner[name]).find(isObject) : undefined;
  if (table === undefined) {
    throw new InvalidConfig('The text has no list of MCP servers.', "A client has it under 'mcpServers' or 'servers'.");
  }
  return Object.entries(table).flatMap(([name, server]) =>
    isObject(server) && server.disabled !== true && server.enabled !== false ? [configured(name, server)] : [],
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidConfig('This is not JSON yet.', 'Paste the whole file. Check its quotes, commas and brackets.');
  }
}

function configured(name: string, { url, serverUrl, httpUrl, command, args }: JsonObject): ConfiguredServer {
  const address = [url, serverUrl, httpUrl].find((value) => typeof value === 'string');
  if (command === undefined && typeof address === 'string') return { name, url: address.split(/[?#]/)[0]! };
  // Zed nests the program under `command`.
  const given = isObject(command) ? command.args : args;
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : [];
  return { name, args: words.filter((word, at) => mayNamePackage(word, words[at - 1])) };
}

/** Flags that take no value, or a package. What follows any other flag may be a secret. */
const HARMLESS_FLAGS = /^(?:-[yiqp]|-it|--(?:yes|rm|quiet|package|from|interactive|tty|init))$/;

/** A name of a package, with a version: not a flag, not a setting such as `KEY=x`, not the value of a flag. */
const mayNamePackage = (word: string, before = ''): boolean =>
  /^[@\w][\w.@/:~-]*(?:==[\w.]+)?$/.test(word) && (!before.startsWith('-') || HARMLESS_FLAGS.test(before));

/** Comments outside of texts, and commas before a closing bracket. What has no end goes to the end of the text. */
function withoutComments(text: string): string {
  const string = '"(?:[^"\\\\]|\\\\[\\s\\S]?)*"?';
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll(
      new RegExp(`(${string})|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, 'g'),
      (_, kept: string | undefined) => kept ?? '',
    )
    .replaceAll(new RegExp(`(${string})|,(?=\\s*[}\\]])`, 'g'), (_, kept: string | undefined) => kept ?? '');
}
