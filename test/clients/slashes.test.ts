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
