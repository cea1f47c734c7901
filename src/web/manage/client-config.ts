import { isObject, type JsonObject } from '../json.ts';

/** A server of a pasted client configuration. */
export interface ConfiguredServer {
  readonly name: string;
  readonly url: string | undefined;
  /** The package that its command runs, if it can be told. */
  readonly package: string | undefined;
  readonly command: string;
}

/** The keys under which clients keep their servers. */
const KEYS = ['mcpServers', 'servers', 'mcp_servers', 'context_servers'] as const;

/** The servers of a configuration of Cursor, Claude, VS Code or Zed. Comments are allowed. Throws if it is no JSON object. */
export function serversOf(text: string): readonly ConfiguredServer[] {
  const config: unknown = JSON.parse(withoutComments(text));
  if (!isObject(config)) throw new Error('The configuration must be a JSON object.');
  const inner = isObject(config.mcp) ? config.mcp : config;
  const key = KEYS.find((name) => isObject(inner[name]));
  if (key === undefined) throw new Error(`The configuration has none of ${KEYS.join(', ')}.`);
  return Object.entries(inner[key] as JsonObject).flatMap(([name, server]) =>
    isObject(server) ? [configured(name, server)] : [],
  );
}

function configured(name: string, { url, serverUrl, command, args }: JsonObject): ConfiguredServer {
  const address = [url, serverUrl].find((value) => typeof value === 'string');
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  return {
    name,
    url: typeof address === 'string' ? address : undefined,
    package: address === undefined ? packageIn(words) : undefined,
    command: words.join(' '),
  };
}

const STARTERS = /^(?:npx|bunx|uvx|pipx|docker|pnpm|yarn|node|python3?)$/;
const WORDS_BEFORE = new Set(['run', 'dlx', 'exec', 'tool']);

/** `npx -y @scope/name@1.2` -> `@scope/name`. */
function packageIn([program = '', ...args]: readonly string[]): string | undefined {
  const base = program.split(/[\\/]/).at(-1) ?? '';
  if (!STARTERS.test(base)) return program === '' ? undefined : base;
  const word = args.find((arg) => !arg.startsWith('-') && !WORDS_BEFORE.has(arg) && !arg.includes('='));
  return word?.replace(/(.)@[^/]*$/, '$1').replace(/(\/[^:]+):[\w.-]+$/, '$1');
}

/** Comments outside of texts, and commas before a closing bracket. */
function withoutComments(text: string): string {
  const string = '"(?:[^"\\\\]|\\\\.)*"';
  return text
    .replaceAll(
      new RegExp(`(${string})|//[^\\n]*|/\\*[\\s\\S]*?\\*/`, 'g'),
      (_, kept: string | undefined) => kept ?? '',
    )
    .replaceAll(new RegExp(`(${string})|,(?=\\s*[}\\]])`, 'g'), (_, kept: string | undefined) => kept ?? '');
}
