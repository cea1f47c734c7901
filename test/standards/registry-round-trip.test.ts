import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEntity } from '../../src/model/entity.ts';
import { readServerDocument } from '../../src/sources/formats/server-document.ts';
import { registrySource } from '../../src/sources/kinds/registry-source.ts';
import { readMcpServer } from '../../src/sources/mcp/mcp-source.ts';
import { DEFAULT_LIMITS, type SourceItem } from '../../src/sources/source.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';
import { SERVER_DOCUMENTS } from './server-documents.ts';

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const byName = (a: Record<string, unknown>, b: Record<string, unknown>) => (String(a.name) < String(b.name) ? -1 : 1);

/** Every document of a registry, through all pages. */
async function documentsOf(site: TestServer): Promise<Record<string, unknown>[]> {
  const { json } = await site.get('/v0.1/servers?limit=1000');
  expect(faultsOf('serverList', json)).toEqual([]);
  return json.servers.map(({ server }: { server: Record<string, unknown> }) => server);
}

/** An MCP server that answers only with this key. */
async function remoteServer(key: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(() => new McpServer({ name: 'remote', version: '1.0.0' }));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers.authorization !== key) {
      response.writeHead(401).end();
      return;
    }
    const headers = Object.entries(request.headers) as [string, string][];
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, { method: request.method!, headers, ...body }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const entitiesFrom = async (address: string): Promise<unknown[]> => {
  const items: SourceItem[] = [];
  const context = { env: {}, limits: DEFAULT_LIMITS, version: '0' };
  for await (const item of registrySource({ url: address }, context).read(new AbortController().signal))
    items.push(item);
  return items.map((item) => ('entity' in item ? item.entity : item));
};

describe('a server.json', () => {
  it.each(SERVER_DOCUMENTS.map((document) => [document.name, document] as const))(
    '%s comes back equal to the last field',
    async (name, document) => {
      const site = await standardsServer([readServerDocument(document)]);
      const { json } = await site.get(`/v0.1/servers/${encodeURIComponent(String(name))}/versions/latest`);
      expect(json.server).toEqual(document);
      await site.close();
    },
  );

  it('follows what the owner changes afterwards', async () => {
    const entity = readServerDocument(SERVER_DOCUMENTS[3]);
    const changed = { name: 'Renamed', repository: 'https://gitlab.com/example/moved', version: '9.9.9' };
    const site = await standardsServer([{ ...entity, ...changed }]);
    const [server] = await documentsOf(site);
    expect(server).toMatchObject({
      title: 'Renamed',
      version: '9.9.9',
      repository: { url: 'https://gitlab.com/example/moved', source: 'gitlab' },
    });
    await site.close();
  });

  it('puts an endpoint that was set by hand before the published remotes', async () => {
    const entity = readServerDocument(SERVER_DOCUMENTS[1]);
    const site = await standardsServer([{ ...entity, mcp_endpoint: 'https://mirror.example.com/mcp' }]);
    const [server] = await documentsOf(site);
    expect(server?.remotes).toEqual([
      { type: 'streamable-http', url: 'https://mirror.example.com/mcp' },
      ...(SERVER_DOCUMENTS[1]!.remotes as unknown[]),
    ]);
    await site.close();
  });

  it('with more than an entity holds loses its extras, not the server', () => {
    const large = { ...SERVER_DOCUMENTS[4], _meta: { 'com.example/x': 'y'.repeat(300_000) } };
    expect(parseEntity(readServerDocument(large)).entity).toMatchObject({ path: '/com.example/icons-and-data' });
  });

  it('cannot speak for the registry', async () => {
    const claims = {
      ...SERVER_DOCUMENTS[4],
      _meta: { [OFFICIAL]: { status: 'deleted' }, 'com.example/own': { x: 1 } },
    };
    const site = await standardsServer([readServerDocument(claims)]);
    const [server] = await documentsOf(site);
    expect(server?._meta).toEqual({ 'com.example/own': { x: 1 } });
    await site.close();
  });
});

describe('a server that was read at its address', () => {
  it('tells who installs it which headers and variables it needs, and none of their values', async () => {
    const { url, close } = await remoteServer('Bearer opensesame1');
    const spec = { url: `${url}/mcp?region=\${REGION}`, headers: { Authorization: 'Bearer opensesame1' } };
    const { entity } = await readMcpServer(spec, {
      env: { REGION: 'eu' },
      version: '0',
      limits: DEFAULT_LIMITS,
      signal: new AbortController().signal,
      subject: 'The server',
    });
    await close();
    const site = await standardsServer([entity]);
    const [server] = await documentsOf(site);
    const needed = { isRequired: true, isSecret: true };
    expect(server?.remotes).toEqual([
      {
        type: 'streamable-http',
        url: `${url}/mcp?region={REGION}`,
        variables: { REGION: needed },
        headers: [
          { name: 'Authorization', ...needed, value: 'Bearer {AUTHORIZATION}', variables: { AUTHORIZATION: needed } },
        ],
      },
    ]);
    await site.close();
  });
});

describe('a registry of another publisher', () => {
  const times = { statusChangedAt: '2026-01-02T00:00:00Z', publishedAt: '2026-01-01T00:00:00Z', isLatest: true };
  let upstream: Server;
  let address = '';
  beforeAll(async () => {
    const servers = SERVER_DOCUMENTS.map((server, at) => {
      const official =
        at === 0 ? { status: 'deprecated', statusMessage: 'Use com.example/tenants.' } : { status: 'active' };
      return { server, _meta: { [OFFICIAL]: { ...official, ...times } } };
    });
    upstream = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ servers, metadata: { count: servers.length } }));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  afterAll(() => upstream.close());

  it('is served as it is, also through a second Dowser', async () => {
    const first = await standardsServer(await entitiesFrom(address));
    const second = await standardsServer(await entitiesFrom(first.url));
    const expected = [...SERVER_DOCUMENTS].sort(byName);
    expect(await documentsOf(first)).toEqual(expected);
    expect(await documentsOf(second)).toEqual(expected);
    for (const site of [first, second]) {
      const { json } = await site.get('/v0.1/servers/com.example%2Fleast/versions/latest');
      expect(json._meta[OFFICIAL]).toMatchObject({ status: 'deprecated', statusMessage: 'Use com.example/tenants.' });
      await site.close();
    }
  });

  it('tells a Dowser that follows it what is gone', async () => {
    const first = await standardsServer(await entitiesFrom(address));
    await first.get('/v0.1/servers');
    await first.registry.delete('mcp_server', '/com.example/tenants');
    const context = { env: {}, limits: DEFAULT_LIMITS, version: '0' };
    const changes: SourceItem[] = [];
    const source = registrySource({ url: first.url }, context, '2020-01-01T00:00:00Z');
    for await (const item of source.read(new AbortController().signal)) changes.push(item);
    expect(changes.filter((item) => 'withdrawn' in item)).toEqual([
      { part: 'com.example/tenants', withdrawn: 'mcp_server:/com.example/tenants' },
    ]);
    expect(changes).toHaveLength(SERVER_DOCUMENTS.length);
    await first.close();
  });
});
