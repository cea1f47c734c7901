import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';

let served: ServedRegistry;
beforeAll(async () => {
  served = await serveRegistry();
  await served.registry.putMany([
    { type: 'mcp_server', path: '/clock', name: 'Clock', url: 'https://clock.example.com' },
    { type: 'skill', path: '/skills/zip', name: 'zip', description: 'Packs files.' },
  ]);
});
afterAll(() => served.close());

const WARNING = `This route has no query parameter "vector"; it is ignored. Did you mean 'vectors'?`;

describe('an unknown query parameter', () => {
  it.each([
    ['/api/entities?entity_type=skill', 'entity_type', 'type'],
    ['/api/entities?type=skill&limitt=1', 'limitt', 'limit'],
    ['/api/audit?whom=ada', 'whom', 'who'],
    ['/api/admin/embeddings/missing?max=1', 'max', 'limit'],
    ['/api/collections/guides/documents/a.md?from_lines=1', 'from_lines', 'from_line'],
  ])('is refused with a suggestion: GET %s', async (path, field, meant) => {
    const { status, error } = await served.ask('GET', path);
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect(error?.details?.did_you_mean).toBe(meant);
  });

  it('of a write is a warning', async () => {
    const entity = { type: 'skill', path: '/skills/new', name: 'new', description: 'Makes things.' };
    const added = await served.send('POST', '/api/entities?vector=later', entity);
    expect([added.status, added.json.warnings]).toEqual([201, [WARNING]]);
    const put = await served.send('PUT', '/api/entities/skill//skills/new?vector=later&vectors=later', entity);
    expect([put.status, put.json.warnings]).toEqual([200, [WARNING]]);
  });

  it('of a search is a warning, before those of the search', async () => {
    const { status, json } = await served.send('POST', '/api/search/semantic?max=1', { query: 'zip', maxx_results: 1 });
    expect(status).toBe(200);
    expect(json.warnings.slice(0, 2)).toEqual([
      'This route has no query parameter "max"; it is ignored.',
      expect.stringContaining("'maxx_results'"),
    ]);
  });

  it('is named only a few times', async () => {
    const names = Array.from({ length: 7 }, (_, at) => `x${at}=1`).join('&');
    const { json } = await served.ask('GET', `/api/entities/skill//skills/zip?${names}`);
    expect(json.warnings.length).toBe(6);
    expect(json.warnings.at(-1)).toBe('Other parameters that are ignored: 2.');
  });

  it.each([
    ...['/api/servers', '/api/servers/clock', '/api/agents', '/api/skills', '/api/virtual-servers', '/api/search/tags'],
    ...['/v0.1/servers', '/ard/agents', '/api/tool-catalog', '/health', '/api/memories'],
  ])('does not fail a client of the registry: GET %s', async (path) => {
    expect((await served.ask('GET', `${path}?unknown=1`)).status).toBe(200);
  });
});
