import { expect, it } from 'vitest';
import { clientConfigs, installLinks } from './client-configs.ts';

const textFor = (client: string, ...given: Parameters<typeof clientConfigs>) =>
  clientConfigs(...given).find((config) => config.client === client)?.text;

const local = { command: 'npx', args: ['-y', 'weather'], env: { KEY: 'a b' } };
const remote = { type: 'http', url: 'https://a.example/mcp' };

it('configures every client for a remote and for a local server', () => {
  expect(textFor('Claude Code', 'pdf', remote)).toBe('claude mcp add --transport http pdf https://a.example/mcp');
  expect(textFor('Claude Code', 'weather', local)).toBe("claude mcp add -e 'KEY=a b' weather -- npx -y weather");
  expect(JSON.parse(textFor('VS Code', 'weather', local) ?? '')).toEqual({
    servers: { weather: { type: 'stdio', ...local } },
  });
  expect(JSON.parse(textFor('Cursor, Claude Desktop', 'pdf', remote) ?? '')).toEqual({ mcpServers: { pdf: remote } });
  expect(textFor('Codex', 'weather', local)).toBe(
    '[mcp_servers.weather]\ncommand = "npx"\nargs = ["-y","weather"]\n\n[mcp_servers.weather.env]\n"KEY" = "a b"',
  );
});

it('quotes whatever a shell would take for more than a word', () => {
  const hostile = { command: "a'; rm -rf /", args: ['$(id)', '`id`', 'a\nb'] };
  expect(textFor('Claude Code', 'x; y', hostile)).toBe(
    `claude mcp add 'x; y' -- 'a'\\''; rm -rf /' '$(id)' '\`id\`' 'a\nb'`,
  );
});

it('links to VS Code and Cursor with the whole configuration, whatever is in it', () => {
  const server = { command: 'npx', args: ['-y', 'weather'], env: { KEY: 'ä&#"(' } };
  const [code, cursor] = installLinks('a & b', server).map(({ href }) => new URL(href));
  expect(code!.protocol).toBe('vscode:');
  expect(JSON.parse(decodeURIComponent(code!.search.slice(1)))).toEqual({ name: 'a & b', type: 'stdio', ...server });
  expect([cursor!.protocol, cursor!.host, cursor!.pathname]).toEqual([
    'cursor:',
    'anysphere.cursor-deeplink',
    '/mcp/install',
  ]);
  expect(cursor!.searchParams.get('name')).toBe('a & b');
  const config = Buffer.from(cursor!.searchParams.get('config')!, 'base64').toString();
  expect(JSON.parse(config)).toEqual(server);
  expect(code!.href + cursor!.href).not.toMatch(/[()\s]/);
});
