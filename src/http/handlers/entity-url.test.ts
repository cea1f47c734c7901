import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import { type RunningServer, startServer } from '../server.ts';

let server: RunningServer;
beforeAll(async () => {
  const registry = await memoryRegistry();
  await registry.putMany([
    { type: 'mcp_server', path: '/github', name: 'GitHub', tools: [{ name: 'fork' }] },
    { type: 'virtual_server', path: '/virtual/dev', name: 'Dev' },
  ]);
  const logger = { info() {}, warn() {}, error() {} };
  server = await startServer({ registry, version: '0', logger, settings: parseSettings({ port: 0 }) });
});
afterAll(() => server.close());

const ask = async (path: string, method = 'GET') => {
  const response = await fetch(`${server.url}/api/entities/${path}`, { method });
  return { status: response.status, ...((await response.json()) as object) };
};

describe('a tool of a server whose # is not encoded', () => {
  it.each([
    ['GET', 'tool//github#fork', '"/github" is a mcp_server: its tools are at "/github#NAME"'],
    ['GET', 'tool/github#fork', '"/github" is a mcp_server'],
    ['DELETE', 'tool//github#fork', '"/github" is a mcp_server'],
    ['GET', 'tool//virtual/dev#x', '"/virtual/dev" is a virtual_server'],
  ])('gets a hint how to encode it: %s %s', async (method, path, hint) => {
    const { status, error } = (await ask(path, method)) as unknown as { status: number; error: { hint: string } };
    expect([status, error.hint]).toEqual([404, expect.stringContaining(hint)]);
    expect(error.hint).toContain('In a URL, write # as %23.');
  });

  it('is found where it is', async () => {
    expect(await ask('tool//github%23fork')).toMatchObject({ status: 200, entity: { name: 'fork' } });
  });

  it('is not suggested without a server, or for other types', async () => {
    for (const path of ['tool//nowhere#fork', 'skill//github#fork']) {
      expect(await ask(path)).toMatchObject({ status: 404, error: { hint: expect.not.stringContaining('%23') } });
    }
  });
});
