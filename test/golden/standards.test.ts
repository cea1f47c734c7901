import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEntity } from '../../src/model/entity.ts';
import { readRegistryEntry } from '../../src/sources/formats/server-document.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);
const entities = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map((line) => parseEntity(JSON.parse(line)).entity);
const shown = entities.filter(
  ({ status, is_enabled, visibility }) => status !== 'draft' && is_enabled && visibility === 'public',
);
const countOf = (...types: readonly string[]) => shown.filter(({ type }) => types.includes(type)).length;

let site: TestServer;
beforeAll(async () => {
  site = await standardsServer(entities);
});
afterAll(() => site.close());

/** The example catalog is what most people see first: all of it must be readable by whatever they point at it. */
describe('the example catalog, read by other people’s clients', () => {
  it('is a well-formed list of servers, which say how to reach or run what we know that of', async () => {
    const { json } = await site.get('/v0.1/servers?limit=1000');
    expect([faultsOf('serverList', json), json.metadata.count]).toEqual([[], countOf('mcp_server')]);
    const reachable = shown.filter(
      (entity) =>
        entity.type === 'mcp_server' &&
        (entity.mcp_endpoint ?? entity.url ?? entity.local_runtime?.package) !== undefined,
    );
    const described = json.servers.filter(
      ({ server }: { server: Record<string, unknown> }) => (server.remotes ?? server.packages) !== undefined,
    );
    expect(described).toHaveLength(reachable.length);
  });

  it('is read by another Dowser as it was written', async () => {
    const { json } = await site.get('/v0.1/servers?limit=1000');
    const read = json.servers.map((entry: unknown) => readRegistryEntry(entry));
    for (const [at, { name, entity }] of read.entries()) {
      const { server } = json.servers[at];
      expect([name, entity.path, entity.description]).toEqual([server.name, `/${server.name}`, server.description]);
    }
    expect(read).toHaveLength(countOf('mcp_server'));
  });

  it('is a well-formed list of ARD entries, whose documents are there', async () => {
    const seen: { identifier: string; url: string; type: string }[] = [];
    let token = '';
    do {
      const { json } = await site.get(`/ard/agents?pageSize=100${token === '' ? '' : `&pageToken=${token}`}`);
      expect(faultsOf('ardList', json)).toEqual([]);
      seen.push(...json.items);
      token = json.pageToken ?? '';
    } while (token !== '' && seen.length < 10_000);
    expect(seen).toHaveLength(countOf('mcp_server', 'virtual_server', 'a2a_agent', 'skill'));
    const own = seen.filter(({ url }) => url.startsWith(site.url));
    const documents = await Promise.all(own.map(({ url }) => site.get(url.slice(site.url.length))));
    expect(documents.map(({ status }) => status)).toEqual(own.map(() => 200));
    const cards = documents.filter(({ headers }) => headers.get('content-type') === 'application/a2a-agent-card+json');
    expect(cards.flatMap(({ json }) => faultsOf('agentCard', json))).toEqual([]);
    expect(cards.length).toBe(countOf('a2a_agent'));
    const ofServers = documents.filter(
      ({ headers }) => headers.get('content-type') === 'application/mcp-server-card+json',
    );
    expect(ofServers.flatMap(({ json }) => faultsOf('serverCard', json))).toEqual([]);
    expect(ofServers.length).toBe(countOf('mcp_server', 'virtual_server'));
  });
});
