import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { appWith } from '../../test/support/test-app.ts';
import { parseSettings } from '../config.ts';
import { serverLoad } from './load/server-load.ts';

const SERVER = { name: 'Context7', description: 'Current documentation of libraries' };

describe('entities over HTTP', () => {
  it('reads a tool of a server, which only its server can change', async () => {
    const { send } = await appWith();
    await send('PUT', '/api/entities/mcp_server//context7', { ...SERVER, tools: [{ name: 'get_docs' }] });
    for (const path of ['%2Fcontext7%23get_docs', '/context7%23get_docs', 'context7%23get_docs']) {
      const url = `/api/entities/tool/${path}`;
      const { status, json } = await send('GET', url);
      expect([status, json.entity.path, json.entity.server_path]).toEqual([200, '/context7#get_docs', '/context7']);
      for (const method of ['PUT', 'DELETE']) {
        const { status, error } = await send(method, url, method === 'PUT' ? { name: 'get_docs' } : undefined);
        expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', 'path']);
        expect(error?.hint).toContain('/context7');
      }
    }
    const { status, error } = await send('GET', '/api/entities/tool//context7%23get_dosc');
    expect([status, error?.code, error?.hint]).toEqual([404, 'NOT_FOUND', 'Did you mean "/context7#get_docs"?']);
  });

  it('creates with 201, replaces with 200, reads, deletes with 204, then answers 404', async () => {
    const { send } = await appWith();
    const created = await send('PUT', '/api/entities/mcp_server//context7', SERVER);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ entity_type: 'mcp_server', path: '/context7', created: true });
    expect((await send('PUT', '/api/entities/mcp_server//context7', SERVER)).status).toBe(200);
    const read = await send('GET', '/api/entities/mcp_server//context7');
    expect(read.json).toMatchObject({ entity: { type: 'mcp_server', path: '/context7', name: 'Context7' } });
    const deleted = await send('DELETE', '/api/entities/mcp_server//context7');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await send('GET', '/api/entities/mcp_server//context7')).error?.code).toBe('NOT_FOUND');
  });

  it.each([
    ['/api/entities/package//context7', '/context7'],
    ['/api/entities/package/%2Fcontext7', '/context7'],
    ['/api/entities/package/context7', 'context7'],
    ['/api/entities/package/a/b/c', 'a/b/c'],
    ['/api/entities/package/npm%3A%40scope%2Fname', 'npm:@scope/name'],
    ['/api/entities/package/npm:@scope/name', 'npm:@scope/name'],
    ['/api/entities/package/caf%C3%A9%20%25%20x', 'café % x'],
    ['/api/entities/package/what%3Fis%23this', 'what?is#this'],
    ['/api/entities/package/%252F', '%2F'],
  ])('reads the path of %s as %j', async (url, path) => {
    const { send } = await appWith();
    expect((await send('PUT', url, SERVER)).json).toMatchObject({ path });
  });

  it('accepts type and path in the body, with or without the leading slash, and keeps that spelling', async () => {
    const { send } = await appWith();
    const body = { ...SERVER, type: 'mcp_server', path: '/context7' };
    expect((await send('PUT', '/api/entities/mcp_server/context7', body)).json).toMatchObject({ path: '/context7' });
  });

  it('replaces the entity that the same URL reads, also without the leading slash', async () => {
    const { send } = await appWith();
    await send('PUT', '/api/entities/mcp_server//context7', SERVER);
    const again = await send('PUT', '/api/entities/mcp_server/context7', SERVER);
    expect([again.status, again.json]).toMatchObject([200, { path: '/context7' }]);
  });

  it.each([
    [{ type: 'skill' }, 'INVALID_REQUEST', 'type'],
    [{ path: '/other' }, 'INVALID_REQUEST', 'path'],
    [{ type: 'gadget' }, 'UNKNOWN_TYPE', 'type'],
    [{ path: 7 }, 'INVALID_REQUEST', 'path'],
    [{ name: '' }, 'INVALID_REQUEST', 'name'],
    [[], 'INVALID_REQUEST', undefined],
    ['"text"', 'INVALID_REQUEST', undefined],
  ])('refuses the body %j', async (change, code, field) => {
    const { send } = await appWith();
    const body = typeof change === 'object' && !Array.isArray(change) ? { ...SERVER, ...change } : change;
    const { error, status } = await send('PUT', '/api/entities/mcp_server//context7', body);
    expect(error).toMatchObject({ code, ...(field === undefined ? {} : { field }) });
    expect(status).toBe(422);
  });

  it('refuses an unknown type with the list of types', async () => {
    const { send } = await appWith();
    const { status, error } = await send('GET', '/api/entities/gadget/x');
    expect([status, error?.code]).toEqual([422, 'UNKNOWN_TYPE']);
    expect(error?.message).toContain('"gadget"');
    expect(error?.hint).toContain('mcp_server');
  });

  it('passes on vectors and lifecycle, and refuses other values', async () => {
    const asked: unknown[] = [];
    const { putAt } = await memoryRegistry();
    const { send } = await appWith({
      putAt: (type, path, entity, options) => {
        asked.push(options);
        return putAt(type, path, entity);
      },
    });
    await send('PUT', '/api/entities/skill/x?vectors=later', SERVER);
    await send('PUT', '/api/entities/skill/x?lifecycle=keep', SERVER);
    expect(asked).toEqual([
      { vectors: 'later', lifecycle: 'replace' },
      { vectors: 'now', lifecycle: 'keep' },
    ]);
    const wrong = await send('PUT', '/api/entities/skill/x?vectors=soon', SERVER);
    expect(wrong.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'vectors' });
    expect(wrong.error?.message).toContain('"soon"');
  });

  it('accepts a batch, and names a field that is not an entity', async () => {
    const { send } = await appWith();
    const entities = ['a', 'b'].map((path) => ({ type: 'skill', path, name: path, oops: 1 }));
    const { status, json } = await send('POST', '/api/entities:batch', { entities });
    expect([status, json]).toMatchObject([200, { created: 2, updated: 0 }]);
    expect(json.warnings[0]).toContain("'oops'");
    expect((await send('POST', '/api/entities:batch', { entities: [entities[0], 7] })).error).toMatchObject({
      field: 'entities.1',
    });
    expect((await send('POST', '/api/entities:batch', {})).error).toMatchObject({ field: 'entities' });
  });

  it('accepts 1000 entities in a batch and not one more', async () => {
    const { send } = await appWith({}, { load: serverLoad({ ...parseSettings({}), body_limit_bytes: 1_000_000 }) });
    const batch = (n: number) => ({
      entities: Array.from({ length: n }, (_, i) => ({ type: 'skill', path: `${i}`, name: 'x' })),
    });
    expect((await send('POST', '/api/entities:batch', batch(1000))).status).toBe(200);
    expect((await send('POST', '/api/entities:batch', batch(1001))).error).toMatchObject({ field: 'entities' });
  });
});
