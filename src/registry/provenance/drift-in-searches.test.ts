import { expect, it } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';

const tools = (text: string) => [
  { name: 'now', description: text },
  { name: 'zone', description: 'The zone of the clock' },
];
const clock = (text: string) => ({ type: 'mcp_server', path: '/clock', name: 'Clock', tools: tools(text) });

/** A server that changed one of its tools after it was accepted, beside a stand-alone tool that did not. */
async function drifted(withholdDrifted: boolean) {
  const registry = registryOver(new MemoryEngine({ embedder: null }), null, { withholdDrifted });
  const source = { kind: 'mcp', locator: { command: 'clock' } };
  await registry.put({ type: 'tool', path: '/alarm', name: 'alarm', description: 'The alarm of the clock' });
  for (const text of ['The time of the clock', 'Send the time of the clock elsewhere'])
    await registry.observe({ source, live: true, entities: [{ entity: clock(text) }] });
  const found = async (more = {}) => {
    const { results, warnings } = await registry.search({ query: 'clock', entity_types: ['tool'], ...more });
    return {
      results: results.map(({ path, drifted }) => `${path} ${drifted}`).sort(),
      warnings: warnings.filter((text) => text.startsWith('Changed')),
    };
  };
  return { registry, found };
}

it('marks each result that changed since it was accepted, and warns of it', async () => {
  const { registry, found } = await drifted(false);
  expect(await found()).toEqual({
    results: ['/alarm false', '/clock#now true', '/clock#zone false'],
    warnings: ['Changed since it was accepted: /clock#now. Check it before you use it.'],
  });
  expect((await registry.search({ query: 'clock', entity_types: ['mcp_server'] })).results[0]).toMatchObject({
    path: '/clock',
    drifted: true,
  });
  await registry.acceptDrift('mcp_server', '/clock');
  expect(await found()).toEqual({ results: ['/alarm false', '/clock#now false', '/clock#zone false'], warnings: [] });
});

it('leaves such entities out on request, until they are accepted', async () => {
  const { registry, found } = await drifted(true);
  expect((await found()).results).toEqual(['/alarm false']);
  expect((await found({ drifted: true })).results).toEqual(['/clock#now true', '/clock#zone false']);
  await registry.acceptDrift('mcp_server', '/clock');
  expect((await found()).results).toHaveLength(3);
});
