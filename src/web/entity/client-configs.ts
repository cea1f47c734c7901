/** What a server needs to be reached, as `GET /api/servers/{path}/connect-config` gives it. */
export type ClientServer =
  | { readonly type: string; readonly url: string }
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>> | undefined;
    };

export interface ClientConfig {
  readonly client: string;
  /** Where it goes: a shell, or a file. */
  readonly where: string;
  readonly text: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Anything but plain words is quoted: the text of a publisher never becomes a command of its own. */
const shell = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** Ready to paste, for each client. */
export function clientConfigs(name: string, server: ClientServer): readonly ClientConfig[] {
  return [
    { client: 'Claude Code', where: 'in a shell', text: claudeCommand(name, server) },
    { client: 'Cursor, Claude Desktop', where: 'mcp.json', text: json({ mcpServers: { [name]: server } }) },
    { client: 'VS Code', where: '.vscode/mcp.json', text: json({ servers: { [name]: withType(server) } }) },
    { client: 'Codex', where: '~/.codex/config.toml', text: codexToml(name, server) },
  ];
}

const withType = (server: ClientServer) => ('command' in server ? { type: 'stdio', ...server } : server);

function claudeCommand(name: string, server: ClientServer): string {
  if (!('command' in server))
    return `claude mcp add --transport ${shell(server.type)} ${shell(name)} ${shell(server.url)}`;
  const env = Object.entries(server.env ?? {}).map(([key, value]) => `-e ${shell(`${key}=${value}`)} `);
  return `claude mcp add ${env.join('')}${shell(name)} -- ${[server.command, ...server.args].map(shell).join(' ')}`;
}

function codexToml(name: string, server: ClientServer): string {
  const table = `mcp_servers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;
  if (!('command' in server)) return `[${table}]\nurl = ${JSON.stringify(server.url)}`;
  const env = Object.entries(server.env ?? {}).map(
    ([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)}`,
  );
  const lines = [`[${table}]`, `command = ${JSON.stringify(server.command)}`, `args = ${JSON.stringify(server.args)}`];
  return [...lines, ...(env.length === 0 ? [] : ['', `[${table}.env]`, ...env])].join('\n');
}

export interface InstallLink {
  readonly client: 'VS Code' | 'Cursor';
  readonly href: string;
}

/** For links in HTML and in Markdown, where a parenthesis ends a link. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[()']/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** Links that open a client and offer to add the server to it. */
export function installLinks(name: string, server: ClientServer): readonly InstallLink[] {
  const bytes = new TextEncoder().encode(JSON.stringify(server));
  const config = encoded(btoa(String.fromCharCode(...bytes)));
  return [
    {
      client: 'VS Code',
      href: `vscode:mcp/install?${encoded(JSON.stringify({ name, ...withType(server) }))}`,
    },
    {
      client: 'Cursor',
      href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encoded(name)}&config=${config}`,
    },
  ];
}
