import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { EXAMPLE_SOURCE } from '../../src/registry/notes/source-note.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { MODELS } from './client-models.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
  await register({});
});
afterEach(() => served.close());

const register = (more: Record<string, string>) =>
  served.form('/api/servers/register', {
    path: '/clock/',
    name: 'Clock',
    description: 'sundial',
    proxy_pass_url: 'https://clock.example.com',
    overwrite: 'False',
    ...more,
  });
const versions = async () => (await served.ask('GET', '/api/servers/clock/versions')).json;
const found = async (query: string) =>
  (await served.send('POST', '/api/search/semantic', { query })).json.servers.map(({ path }: { path: string }) => path);

describe('CL-3: the versions of a server', () => {
  it('are added by registering it again with another version', async () => {
    const { status, json } = await register({ version: 'v2.0.0', description: 'hourglass' });
    expect(status).toBe(201);
    parseWith(MODELS.registered, json, 'answer');
    const listed = await versions();
    parseWith(MODELS.versions, listed, 'versions');
    expect(listed).toMatchObject({
      path: '/clock',
      default_version: 'v1.0.0',
      versions: [
        { version: 'v1.0.0', is_default: true, description: 'sundial' },
        { version: 'v2.0.0', is_default: false, description: 'hourglass' },
      ],
    });
    expect([await found('sundial'), await found('hourglass')]).toEqual([['/clock'], []]);
  });

  it('may have a slash in their names', async () => {
    await register({ version: 'release/2' });
    const { status, json } = await served.ask('DELETE', '/api/servers/clock/versions/release%2F2');
    expect([status, json.version, json.path]).toEqual([200, 'release/2', '/clock']);
    expect((await versions()).versions).toHaveLength(1);
  });

  it('have one default, which search finds, and which keeps the switch of the server', async () => {
    await register({ version: 'v2.0.0', description: 'hourglass' });
    await served.form('/api/servers/toggle', { path: '/clock', new_state: 'false' });
    const { status, json } = await served.send('PUT', '/api/servers/clock/versions/default', { version: 'v2.0.0' });
    expect([status, json.default_version]).toEqual([200, 'v2.0.0']);
    expect(await found('hourglass')).toEqual([]);
    await served.form('/api/servers/toggle', { path: '/clock', new_state: 'true' });
    expect([await found('sundial'), await found('hourglass')]).toEqual([[], ['/clock']]);
    expect((await versions()).versions.map(({ version }: { version: string }) => version)).toEqual([
      'v2.0.0',
      'v1.0.0',
    ]);
    expect((await served.ask('GET', '/api/servers/clock')).json).toMatchObject({
      version: 'v2.0.0',
      default_version: 'v2.0.0',
    });
  });

  it('are removed, but not the default one', async () => {
    await register({ version: 'v2/beta' });
    expect((await served.ask('DELETE', '/api/servers/clock/versions/v1.0.0')).status).toBe(422);
    await register({ version: 'v2.0.0' });
    const { status, json } = await served.ask('DELETE', '/api/servers/clock/versions/v2.0.0');
    expect([status, json.status]).toEqual([200, 'success']);
    expect((await versions()).versions).toHaveLength(2);
  });

  it('are refused twice, unless to overwrite', async () => {
    await register({ version: 'v2.0.0' });
    expect((await register({ version: 'v2.0.0' })).status).toBe(409);
    expect((await register({ version: 'v2.0.0', overwrite: 'true', description: 'new' })).status).toBe(201);
    expect((await versions()).versions[1]).toMatchObject({ description: 'new' });
    expect((await register({ version: 'v1.0.0' })).status).toBe(409);
  });

  it.each([
    ['PUT', '/api/servers/clock/versions/default', { version: 'v9' }],
    ['DELETE', '/api/servers/clock/versions/v9', undefined],
    ['GET', '/api/servers/nowhere/versions', undefined],
  ])('are unknown: %s %s', async (method, path, body) => {
    expect((await served.send(method, path, body)).status).toBe(404);
  });

  it('are not made of an example, which is replaced', async () => {
    const entity = { type: 'mcp_server', path: '/sample', name: 'Sample', version: '1' };
    await served.registry.observe({ source: EXAMPLE_SOURCE, entities: [{ entity }] });
    expect((await register({ path: '/sample', version: '2' })).status).toBe(201);
    expect((await served.ask('GET', '/api/servers/sample/versions')).json).toMatchObject({ default_version: '2' });
  });

  it('go with the server', async () => {
    await register({ version: 'v2.0.0' });
    await served.ask('DELETE', '/api/servers/clock');
    await register({});
    expect((await versions()).versions).toHaveLength(1);
  });
});
