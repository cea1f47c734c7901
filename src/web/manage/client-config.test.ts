import { expect, it } from 'vitest';
import { installedIn } from '../../cli/commands/registry.ts';
import { serversOf } from './client-config.ts';

const CONFIGS = [
  { mcpServers: { a: { url: 'https://a.example/mcp' } } },
  { servers: { a: { type: 'stdio', command: 'npx', args: ['-y', '@scope/name@1.2.3'] } } },
  { mcp: { servers: { a: { command: 'uvx', args: ['weather==1.0'] } } } },
  { 'mcp.servers': { a: { command: 'uvx', args: ['--from', 'weather'] } } },
  { mcpServers: { a: { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/x/y:latest'] } } },
  { context_servers: { a: { command: { path: 'npx', args: ['zed-server'] } } } },
  {
    mcpServers: {
      a: { command: 'x' },
      off: { command: 'y', disabled: true },
      also: { url: 'https://b', enabled: false },
    },
  },
];

it.each(CONFIGS)('reads the servers of %j that `dowser registry check` reads', (config) => {
  const text = JSON.stringify(config);
  const read = serversOf(text);
  const byCommand = installedIn(text, 'test');
  expect(read.map(({ name, url }) => [name, url])).toEqual(byCommand.map(({ name, url }) => [name, url]));
  for (const [at, { args = [] }] of read.entries())
    expect(byCommand[at]?.args ?? []).toEqual(expect.arrayContaining([...args]));
});

it('keeps to itself what may be secret', () => {
  const args = ['-y', 'pkg', '--token', 'abc', '--key=def', 'KEY=ghi', '-e', 'SECRET', 'https://x.example/?t=jkl'];
  const config = {
    mcpServers: { a: { command: 'npx', args, env: { T: 'mno' } }, b: { url: 'https://b.example/?k=pqr' } },
  };
  expect(serversOf(JSON.stringify(config))).toEqual([
    { name: 'a', args: ['pkg'] },
    { name: 'b', url: 'https://b.example/' },
  ]);
});

it('takes comments and trailing commas, but not inside texts', () => {
  const text = '\uFEFF{ // mine\n "mcpServers": { "a": { "url": "https://a.example/*x*/,]" }, }, /* end */ }';
  expect(serversOf(text)).toMatchObject([{ url: 'https://a.example/*x*/,]' }]);
});

it.each([
  ['{}', 'no list of MCP servers'],
  ['[]', 'no list of MCP servers'],
  ['{"mcpServers": []}', 'no list of MCP servers'],
  ['{"mcpServers": {', 'not JSON yet'],
])('says what is wrong with %s', (text, problem) => {
  expect(() => serversOf(text)).toThrow(
    expect.objectContaining({ code: 'MALFORMED_JSON', message: expect.stringContaining(problem) }),
  );
});
