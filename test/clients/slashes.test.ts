import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const stored = async () => {
  const paths: string[] = [];
  for await (const { entity } of served.registry.all()) paths.push(entity.path);
  return paths;
};
const server = (path: string, more: object = {}) => ({ type: 'mcp_server', path, name: 'Dup', ...more });

describe('CL-2: a slash at the end of a path', () => {
  it.each([
    ['/dup', '/dup/'],
    ['/dup/', '/dup'],
  ])('makes no second entity: %s and %s', async (first, second) => {
    expect((await served.send('POST', '/api/entities', server(first))).status).toBe(201);
    const again = await served.send('POST', '/api/entities', server(second, { description: 'new' }));
    expect([again.status, again.json.path]).toEqual([200, first]);
    const batch = { entities: [server(second, { description: 'newer' }), server('/other')] };
    expect((await served.send('POST', '/api/entities:batch', batch)).json).toMatchObject({ created: 1, updated: 1 });
    expect((await served.registry.get('mcp_server', '/dup')).entity.description).toBe('newer');
    expect(await stored()).toEqual([first, '/other']);
    const form = { path: second, name: 'Dup', description: 'x', proxy_pass_url: 'https://x.example.com' };
    const refused = await served.form('/api/servers/register', { ...form, overwrite: 'false' });
    expect([refused.status, refused.error?.code]).toEqual([409, 'ALREADY_EXISTS']);
    expect((await served.form('/api/servers/register', form)).json.path).toBe(first);
    expect(await stored()).toEqual([first, '/other']);
  });

  it('is another path for a memory: whether it is taken would say what others have stored', async () => {
    const memory = (path: string) => ({ type: 'memory', path, content: 'Tea is at four.' });
    await served.registry.put(memory('/notes/1'));
    expect((await served.registry.put(memory('/notes/1/'))).created).toBe(true);
  });

  it('makes no two entities of one batch', async () => {
    const entities = [server('/a'), server('/dup/'), server('/dup')];
    const { status, error } = await served.send('POST', '/api/entities:batch', { entities });
    expect([status, error?.code, error?.field]).toEqual([409, 'DUPLICATE_PATH', 'entities.2.path']);
    expect(await stored()).toEqual([]);
  });

  it('and one at its start that is missing do not make another path of a server or an agent', async () => {
    for (const [type, name] of [
      ['mcp_server', 'Server'],
      ['a2a_agent', 'Agent'],
    ]) {
      expect((await served.send('PUT', `/api/entities/${type}/tslash/`, { name })).json.path).toBe('/tslash');
      expect((await served.send('PUT', `/api/entities/${type}//tslash`, { name })).json.created).toBe(false);
    }
    expect((await served.send('PUT', '/api/entities/skill/plain/', { name: 'plain' })).json.path).toBe('plain');
  });

  it('has no meaning on any route of one entity', async () => {
    await served.registry.putMany([
      { type: 'mcp_server', path: '/clock', name: 'Clock', url: 'https://clock.example.com', tools: [{ name: 'now' }] },
      { type: 'a2a_agent', path: '/agent', name: 'Agent', url: 'https://agent.example.com' },
      { type: 'skill', path: '/skills/zip', name: 'zip', description: 'Packs files.', body: '# Zip' },
      { type: 'virtual_server', path: '/virtual/dev', name: 'Dev' },
    ]);
    // Clients append the rest of a route to the path as it was registered.
    const asked = [
      ...['', '/tools', '/versions', '/rating', '/connect-config', '/server.json'].map(
        (end) => `/api/servers/clock/${end}`,
      ),
      ...['', '/rating'].map((end) => `/api/agents/agent/${end}`),
      ...['', '/rating', '/health', '/content'].map((end) => `/api/skills/zip/${end}`),
      ...['', '/rating', '/tools'].map((end) => `/api/virtual-servers/dev/${end}`),
      '/api/server_details/clock/',
      '/api/tools/clock/',
      '/api/entities/mcp_server/clock/',
      '/api/entities/skill/zip//rating',
    ];
    const statuses: unknown[] = [];
    for (const path of asked) statuses.push([path, (await served.ask('GET', path)).status]);
    const writes: [string, string, unknown][] = [
      ['PATCH', '/api/servers/clock/', { description: 'x' }],
      ['POST', '/api/edit/clock/', { description: 'y' }],
      ['POST', '/api/servers/clock//rate', { rating: 4 }],
      ['PUT', '/api/servers/clock//versions/default', { version: 'v1.0.0' }],
      ['POST', '/api/agents/agent//toggle?enabled=true', undefined],
      ['POST', '/api/agents/agent//health', undefined],
      ['PATCH', '/api/agents/agent/', { description: 'x' }],
      ['POST', '/api/skills/zip//toggle', { enabled: true }],
      ['POST', '/api/virtual-servers/dev//toggle', { enabled: true }],
    ];
    for (const [method, path, body] of writes) statuses.push([path, (await served.send(method, path, body)).status]);
    expect(statuses).toEqual([...asked, ...writes.map(([, path]) => path)].map((path) => [path, 200]));
    expect((await served.ask('DELETE', '/api/skills/zip/')).status).toBe(204);
  });

  it('has no meaning for virtual servers', async () => {
    const body = { server_name: 'Dev', path: '/virtual/dev/', tool_mappings: [] };
    const { status, json } = await served.send('POST', '/api/virtual-servers', body);
    expect([status, json.path]).toEqual([201, '/virtual/dev']);
  });
});

describe('CL-14: the version of a mapping', () => {
  const warningsOf = async (backend_version: string) => {
    const mapping = { tool_name: 'now', backend_server_path: '/clock/', backend_version };
    const body = { server_name: 'Dev', path: '/virtual/dev', tool_mappings: [mapping], overwrite: true };
    return (await served.send('POST', '/api/virtual-servers', body)).json.warnings;
  };

  it('is warned of if its server does not have it', async () => {
    const clock = { type: 'mcp_server', path: '/clock', name: 'Clock', tools: [{ name: 'now' }] };
    await served.registry.put(clock);
    await served.registry.addVersion({ ...clock, version: 'v2.0.0' });
    expect(await warningsOf('v1.0.0')).toBeUndefined();
    expect(await warningsOf('v2.0.0')).toBeUndefined();
    expect(await warningsOf('v9')).toEqual(["Tool 'now' is mapped to '/clock/', which has no version 'v9'."]);
  });
});
