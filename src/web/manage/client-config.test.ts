import { expect, it } from 'vitest';
import { serversOf } from './client-config.ts';

it.each([
  [{ mcpServers: { a: { url: 'https://a.example/mcp' } } }, { url: 'https://a.example/mcp', package: undefined }],
  [
    { servers: { a: { type: 'stdio', command: 'npx', args: ['-y', '@scope/name@1.2.3'] } } },
    { package: '@scope/name' },
  ],
  [{ mcp: { servers: { a: { command: 'uvx', args: ['weather'] } } } }, { package: 'weather' }],
  [{ mcpServers: { a: { command: 'docker', args: ['run', '-i', 'ghcr.io/x/y:latest'] } } }, { package: 'ghcr.io/x/y' }],
  [{ mcpServers: { a: { command: '/usr/bin/my-server' } } }, { package: 'my-server' }],
  [{ mcpServers: { a: {} } }, { url: undefined, package: undefined }],
])('reads %j', (config, server) => {
  expect(serversOf(JSON.stringify(config))).toMatchObject([{ name: 'a', ...server }]);
});

it('takes comments and trailing commas, but not inside texts', () => {
  const text = '{ // mine\n "mcpServers": { "a": { "url": "https://a.example/*x*/,]" }, }, /* end */ }';
  expect(serversOf(text)).toMatchObject([{ url: 'https://a.example/*x*/,]' }]);
});

it.each(['{}', '[]', '{"mcpServers": []}'])('says what is missing in %s', (text) => {
  expect(() => serversOf(text)).toThrow('The configuration');
});
