import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import { createDocuments } from '../../documents/create-documents.ts';
import { createMemories } from '../../memories/create-memories.ts';
import { refuseRight } from '../edge/request-caller.ts';
import { serverLoad } from '../load/server-load.ts';
import { callerSurfaces } from './caller-surfaces.ts';

const VERSION = '2026-07-28';
const named = (name: string) => ({ name, readers: ['public'] });

function subscription(): [Request, Uint8Array] {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': VERSION,
    'Mcp-Method': 'subscriptions/listen',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  return [new Request('http://localhost/mcp', { method: 'POST', headers }), new TextEncoder().encode(body)];
}

it('ends the subscriptions of a caller whose surface is no longer kept, and those that it begins there later', async () => {
  const registry = await memoryRegistry();
  const documents = createDocuments(registry);
  const surfaceOf = callerSurfaces({
    registry,
    memories: createMemories(registry),
    documents,
    replica: null,
    damage: () => null,
    vectorServer: null,
    version: '1',
    load: serverLoad(parseSettings({})),
    metrics: { contentType: 'text/plain', text: async () => '' },
    logger: { info() {}, warn() {}, error() {} },
    bodyLimitBytes: 1_000_000,
    refuse: refuseRight,
  });
  await documents.createCollection({ name: 'teas' });
  const first = surfaceOf(named('first'));
  const streams = [
    await first.mcp.agent.answer(...subscription()),
    await first.collectionMcp.answer('teas', ...subscription()),
  ];
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  for (let n = 0; n < 499; n++) surfaceOf(named(`other ${n}`));
  expect(surfaceOf(named('first'))).toBe(first);
  for (let n = 0; n < 500; n++) surfaceOf(named(`another ${n}`));
  expect(surfaceOf(named('first'))).not.toBe(first);
  streams.push(await first.mcp.agent.answer(...subscription()));
  for (const stream of streams) expect(await stream.text()).toContain('"resultType":"complete"');
});
