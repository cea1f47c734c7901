import { afterEach, beforeEach, expect, it } from 'vitest';
import { wordsRegistry } from '../../test/support/words-registry.ts';
import type { LocalRegistry } from './contract/registry.ts';

const DEFINITION = {
  title: 'Post a letter',
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  annotations: { readOnlyHint: false, destructiveHint: true },
  execution: { taskSupport: 'optional' },
  icons: [{ src: 'https://example.com/letter.png', sizes: ['48x48'] }],
  _meta: { 'example.com/team': 'office' },
};
const TOOL = { name: 'send_mail', description: 'Sends mail.', inputSchema: { type: 'object' }, ...DEFINITION };

let registry: LocalRegistry;
beforeEach(async () => {
  registry = await wordsRegistry([
    { type: 'mcp_server', path: '/mail', name: 'Mail', tools: [TOOL, { name: 'plain' }] },
    { type: 'tool', path: '/tools/post', name: 'post', ...DEFINITION },
    {
      type: 'virtual_server',
      path: '/virtual/office',
      name: 'Office',
      tool_mappings: [{ tool_name: 'send_mail', backend_server_path: '/mail' }],
    },
  ]);
});
afterEach(() => registry.close());

it('keeps the whole definition of a tool', async () => {
  const { entity: server } = await registry.get('mcp_server', '/mail');
  expect(server).toMatchObject({
    tools: [
      { ...TOOL, examples: [] },
      { name: 'plain', description: '', examples: [] },
    ],
  });
  expect(Object.keys((server as { tools: object[] }).tools[1]!).sort()).toEqual(['description', 'examples', 'name']);
  expect((await registry.get('tool', '/mail#send_mail')).entity).toMatchObject(DEFINITION);
  expect((await registry.get('tool', '/tools/post')).entity).toMatchObject(DEFINITION);
  const { entity: virtual } = await registry.get('virtual_server', '/virtual/office');
  expect(virtual).toMatchObject({ tool_mappings: [{ inherited: { description: 'Sends mail.', ...DEFINITION } }] });
});

it('shows title and annotations in a hit, and finds a tool by its title', async () => {
  const { results, tools } = await registry.search({ query: 'post letter', entity_types: ['tool'] });
  expect(results.map(({ path }) => path)).toContain('/mail#send_mail');
  const { title, annotations } = DEFINITION;
  expect(tools.find(({ path }) => path === '/mail#send_mail')).toMatchObject({ title, annotations });
});
