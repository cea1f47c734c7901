import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/surface/memory-registry.ts';
import { searchTools } from './search-tools.ts';

const schemaWith = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } });

it("shows a server's tool with its own schema, whatever is registered under the same path", async () => {
  const registry = await memoryRegistry();
  await registry.put({
    type: 'tool',
    path: '/github#search',
    name: 'search',
    description: 'Search code alone',
    inputSchema: schemaWith('alone'),
  });
  await registry.put({
    type: 'mcp_server',
    path: '/github',
    name: 'GitHub',
    tools: [{ name: 'search', description: 'Search code on the server', inputSchema: schemaWith('server') }],
  });
  const input = searchTools.input.parse({ query: 'search code', kinds: ['tool'], detail: 'schema' });
  const { structured } = await searchTools.run(registry, input);
  const shown = structured.results.map(({ description, input_schema }) => [description, input_schema]);
  expect(new Map(shown as [string, unknown][])).toEqual(
    new Map<string, unknown>([
      ['Search code on the server', schemaWith('server')],
      ['Search code alone', schemaWith('alone')],
    ]),
  );
  await registry.close();
});
