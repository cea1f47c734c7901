import { referencesIn, type ServerStart, withReferences } from './server-start.ts';

/** Where a client keeps its servers, and how it writes one. */
export interface ClientFormat {
  readonly title: string;
  /** The file in a project, from its folder. */
  readonly project: string;
  /** The file of the user, from the home folder, by platform. */
  readonly user: (platform: NodeJS.Platform) => string;
  /** The key of the list of servers. Null: a TOML file, whose tables are `mcp_servers.NAME`. */
  readonly list: string | null;
  /** How a value refers to a variable of the environment. */
  readonly reference: (name: string) => string;
  /** The fields of an entry, beside those of its command or address. */
  readonly kindOf: (start: ServerStart) => Readonly<Record<string, string>>;
}

const braced = (name: string): string => `\${${name}}`;
const inEnv = (name: string): string => `\${env:${name}}`;

const VSCODE_FOLDERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Library/Application Support/Code/User',
  win32: 'AppData/Roaming/Code/User',
};

export const CLIENT_FORMATS = {
  cursor: {
    title: 'Cursor',
    project: '.cursor/mcp.json',
    user: () => '.cursor/mcp.json',
    list: 'mcpServers',
    reference: inEnv,
    kindOf: () => ({}),
  },
  claude: {
    title: 'Claude Code',
    project: '.mcp.json',
    user: () => '.claude.json',
    list: 'mcpServers',
    reference: braced,
    kindOf: (start) => ('url' in start ? { type: start.transport } : {}),
  },
  vscode: {
    title: 'VS Code',
    project: '.vscode/mcp.json',
    user: (platform) => `${VSCODE_FOLDERS[platform] ?? '.config/Code/User'}/mcp.json`,
    list: 'servers',
    reference: inEnv,
    kindOf: (start) => ({ type: 'url' in start ? start.transport : 'stdio' }),
  },
  codex: {
    title: 'Codex',
    project: '.codex/config.toml',
    user: () => '.codex/config.toml',
    list: null,
    reference: braced,
    kindOf: () => ({}),
  },
} as const satisfies Readonly<Record<string, ClientFormat>>;

export type ClientName = keyof typeof CLIENT_FORMATS;

export type ClientEntry = Readonly<Record<string, unknown>>;

/** The entry of a server in a JSON configuration. Empty fields are left out. */
export function toClientEntry({ reference, kindOf }: ClientFormat, start: ServerStart): ClientEntry {
  const filled = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, withReferences(text, reference)]));
  const some = (field: string, values: Readonly<Record<string, string>>) =>
    Object.keys(values).length === 0 ? {} : { [field]: filled(values) };
  const kind = kindOf(start);
  if ('url' in start) return { ...kind, url: withReferences(start.url, reference), ...some('headers', start.headers) };
  const args = start.args.map((arg) => withReferences(arg, reference));
  return { ...kind, command: start.command, args, ...some('env', start.env) };
}

/** The variables that must be set where the client runs. */
export function variablesOf(start: ServerStart): readonly string[] {
  const texts =
    'url' in start ? [start.url, ...Object.values(start.headers)] : [...start.args, ...Object.values(start.env)];
  return [...new Set(texts.flatMap(referencesIn))];
}

const toml = (value: string): string => JSON.stringify(value).replaceAll('\u007f', '\\u007F');
const tomlList = (values: readonly string[]): string => `[${values.map(toml).join(', ')}]`;
const tomlTable = (values: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${toml(name)} = ${toml(value)}`)
    .join(', ')} }`;

/**
 * The table of a server in Codex's `config.toml`. Codex passes variables on by name and fills in nothing else, so null if an argument
 * or an address refers to a variable.
 */
export function toCodexTable(name: string, start: ServerStart): string | null {
  const lines = [`[mcp_servers.${/^[\w-]+$/.test(name) ? name : toml(name)}]`];
  if ('url' in start) {
    if (referencesIn(start.url).length > 0) return null;
    lines.push(`url = ${toml(start.url)}`);
    const headers: Record<string, string> = {};
    for (const [header, value] of Object.entries(start.headers)) {
      const [variable] = referencesIn(value);
      if (variable === undefined) return null;
      const isBearer = header === 'Authorization' && value === `Bearer \${${variable}}`;
      if (isBearer) lines.push(`bearer_token_env_var = ${toml(variable)}`);
      else if (value === `\${${variable}}`) headers[header] = variable;
      else return null;
    }
    if (Object.keys(headers).length > 0) lines.push(`env_http_headers = ${tomlTable(headers)}`);
    return `${lines.join('\n')}\n`;
  }
  if (start.args.some((arg) => referencesIn(arg).length > 0)) return null;
  lines.push(`command = ${toml(start.command)}`, `args = ${tomlList(start.args)}`);
  const passed: string[] = [];
  const fixed: Record<string, string> = {};
  for (const [variable, value] of Object.entries(start.env)) {
    if (value === `\${${variable}}`) passed.push(variable);
    else if (referencesIn(value).length > 0) return null;
    else fixed[variable] = value;
  }
  if (passed.length > 0) lines.push(`env_vars = ${tomlList(passed)}`);
  if (Object.keys(fixed).length > 0) lines.push(`env = ${tomlTable(fixed)}`);
  return `${lines.join('\n')}\n`;
}
