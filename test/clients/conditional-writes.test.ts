import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient, remoteRegistry } from '../../src/client/index.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
  await served.registry.putMany(ONE_OF_EACH);
});
afterEach(() => served.close());

const send = (method: string, path: string, body: unknown, tag?: string) =>
  served.ask(method, path, {
    headers: { 'Content-Type': 'application/json', ...(tag === undefined ? {} : { 'If-Match': tag }) },
    body: JSON.stringify(body),
  });

/** Every route that replaces or patches one entity. */
const ROUTES = [
  ['PATCH', '/api/servers/clock', { description: 'one' }],
  ['PUT', '/api/servers/clock', { name: 'Clock', proxy_pass_url: 'https://clock.example.com', description: 'one' }],
  ['PATCH', '/api/agents/agent', { description: 'one' }],
  ['PUT', '/api/agents/agent', { name: 'Agent', url: 'https://agent.example.com', description: 'one' }],
  ['PATCH', '/api/skills/zip', { description: 'one' }],
  ['PUT', '/api/skills/zip', { name: 'zip', description: 'one' }],
  ['PATCH', '/api/virtual-servers/dev', { description: 'one' }],
  ['PUT', '/api/virtual-servers/dev', { server_name: 'Dev', description: 'one' }],
  ['PATCH', '/api/entities/mcp_server//clock', { description: 'one' }],
  ['PUT', '/api/entities/mcp_server//clock', { name: 'Clock', description: 'one' }],
] as const;

describe('CL-6: a conditional write', () => {
  it.each(ROUTES)('%s %s: of two writers with the same tag, one wins', async (method, path, body) => {
    const tag = (await served.ask('GET', path)).headers.get('etag')!;
    expect(tag).toMatch(/^W\/"[\w-]{22}\.[\w-]{22}"$/);
    const answers = await Promise.all([send(method, path, body, tag), send(method, path, body, tag)]);
    const [won, lost] = answers.sort((a, b) => a.status - b.status);
    expect([won!.status, lost!.status, lost!.error?.code]).toEqual([200, 412, 'PRECONDITION_FAILED']);
    const read = await served.ask('GET', path);
    // That of a read also has the tag of the answer.
    expect(won!.headers.get('etag')).toBe(read.headers.get('etag')?.replace(/\..*/, '"'));
    expect(read.headers.get('etag')).not.toBe(tag);
    // The tag of the answer is good for the next write.
    expect((await send(method, path, body, won!.headers.get('etag')!)).status).toBe(200);
  });

  it.each([
    ['"stale"', 412],
    ['no-tag-at-all', 412],
    ['', 412],
    ['W/"a", W/"b"', 412],
    ['*', 200],
  ])('If-Match: %s gets %i', async (tag, status) => {
    const before = (await served.ask('GET', '/api/servers/clock')).json;
    expect((await send('PATCH', '/api/servers/clock', { description: 'new' }, tag)).status).toBe(status);
    const after = (await served.ask('GET', '/api/servers/clock')).json;
    expect(after.description).toBe(status === 200 ? 'new' : before.description);
  });

  it('takes one of several tags, weak or strong', async () => {
    const tag = (await served.ask('GET', '/api/servers/clock')).headers.get('etag')!;
    const strong = `"other", ${tag.replace('W/', '')}`;
    expect((await send('PATCH', '/api/servers/clock', { description: 'new' }, strong)).status).toBe(200);
  });

  it('refuses a star where nothing is, and stores nothing', async () => {
    expect((await send('PUT', '/api/entities/mcp_server//none', { name: 'None' }, '*')).status).toBe(412);
    expect((await send('PATCH', '/api/servers/none', { description: 'x' }, '*')).status).toBe(404);
    expect((await served.ask('GET', '/api/entities/mcp_server//none')).status).toBe(404);
  });

  it('is an option of the library, here and over HTTP', async () => {
    for (const registry of [served.registry, remoteRegistry(createClient({ baseUrl: served.url }))]) {
      const { etag } = await registry.get('mcp_server', '/clock');
      const written = await registry.patch('mcp_server', '/clock', { description: `by ${etag}` }, { ifMatch: etag });
      const stale = registry.patch('mcp_server', '/clock', { description: 'lost' }, { ifMatch: etag });
      await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      const entity = { type: 'mcp_server', path: '/clock', name: 'Clock' };
      await expect(registry.put(entity, { ifMatch: [etag] })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      const { etag: last, created } = await registry.put(entity, { ifMatch: ['x', written.etag] });
      expect(created).toBe(false);
      const removal = registry.delete('mcp_server', '/clock', { ifMatch: etag });
      await expect(removal).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      await registry.delete('mcp_server', '/clock', { ifMatch: last });
      await registry.put(entity, { ifNoneMatch: '*' });
      const again = registry.put(entity, { ifNoneMatch: '*' });
      await expect(again).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    }
  });
});
