import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Directory } from '../../src/http/standards/directory.ts';
import { NameLedger } from '../../src/http/standards/name-ledger.ts';
import { LOCAL_NAMESPACE } from '../../src/standards/official/official-name.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

const server = (path: string, fields: Record<string, unknown> = {}) => ({
  type: 'mcp_server',
  path,
  name: path,
  description: 'A server.',
  ...fields,
});
type Listed = {
  server: { name: string; version: string };
  _meta: Record<string, { status: string; isLatest: boolean }>;
};
const official = (item: Listed) => item._meta['io.modelcontextprotocol.registry/official'];
const namesIn = (json: { servers: Listed[] }) => json.servers.map((item) => item.server.name);

let site: TestServer;
afterEach(() => site.close());

/** As editors page: the cursor and nothing else of the query. */
async function pages(query: string): Promise<string[]> {
  const names: string[] = [];
  let cursor = '';
  do {
    const { status, json } = await site.get(`/v0.1/servers?limit=1&${cursor === '' ? query : `cursor=${cursor}`}`);
    expect([status, faultsOf('serverList', json)]).toEqual([200, []]);
    names.push(...namesIn(json));
    cursor = json.metadata.nextCursor ?? '';
  } while (cursor !== '');
  return names;
}

describe('a cursor', () => {
  it('carries the query', async () => {
    site = await standardsServer(['/a-git', '/b', '/c-git', '/d', '/e-git'].map((path) => server(path)));
    expect(await pages('search=git')).toEqual(['local.dowser/a-git', 'local.dowser/c-git', 'local.dowser/e-git']);
    expect(await pages('version=2.0.0')).toEqual([]);
  });

  it('carries the time of the query', async () => {
    site = await standardsServer(['/a', '/b', '/c'].map((path) => server(path)));
    const writtenAt = async (path: string) => Date.parse((await site.registry.get('mcp_server', path)).updated_at);
    const last = await writtenAt('/c');
    for (const path of ['/a', '/b']) {
      const written = async () => {
        await site.registry.patch('mcp_server', path, { tags: [randomUUID()] });
        return writtenAt(path);
      };
      await expect.poll(written).toBeGreaterThan(last);
    }
    const query = `updated_since=${new Date(last + 1).toISOString()}`;
    expect(await pages(query)).toEqual(['local.dowser/a', 'local.dowser/b']);
  });

  it('that is empty means the first page', async () => {
    site = await standardsServer(['/a', '/b'].map((path) => server(path)));
    expect(await pages('cursor=&version=latest')).toEqual(['local.dowser/a', 'local.dowser/b']);
  });

  it('of another server is refused', async () => {
    site = await standardsServer([server('/a')]);
    const { status } = await site.get(`/v0.1/servers?cursor=${Buffer.from('["a"]').toString('base64url')}`);
    expect(status).toBe(400);
  });
});

describe('search', () => {
  it('finds names first, then by what servers do, each once', async () => {
    site = await standardsServer([
      server('/calendar', { description: 'Shows appointments.' }),
      server('/zz', { description: 'A calendar of appointments for teams.' }),
      server('/aa', { description: 'Keeps a calendar.' }),
      server('/bread', { description: 'Bakes.' }),
    ]);
    const found = await pages('search=calendar');
    expect(found[0]).toBe('local.dowser/calendar');
    expect([...found].sort()).toEqual(['local.dowser/aa', 'local.dowser/calendar', 'local.dowser/zz']);
    expect(await pages('search=%20')).toHaveLength(4);
  });
});

describe('the name that an owner has set', () => {
  it('is the name of the list, the versions and the card', async () => {
    site = await standardsServer([server('/weather', { official_name: 'io.github.acme/weather' })]);
    expect(await pages('')).toEqual(['io.github.acme/weather']);
    const { status, json } = await site.get('/v0.1/servers/io.github.acme%2Fweather/versions/latest');
    expect([status, json._meta['local.dowser/entity'].path]).toEqual([200, '/weather']);
    const card = await site.get(`/ard/artifacts/${encodeURIComponent('urn:air:127.0.0.1:server:weather')}`);
    expect(card.json.name).toBe('io.github.acme/weather');
    expect((await site.get('/v0.1/servers/local.dowser%2Fweather/versions/latest')).status).toBe(404);
  });

  it('must look like one', async () => {
    site = await standardsServer();
    for (const official_name of ['weather', 'a/b/c', 'a b/c', `a/${'x'.repeat(200)}`]) {
      await expect(site.registry.put(server('/weather', { official_name }))).rejects.toThrow('official_name');
    }
  });

  it('stays when its source is read again', async () => {
    site = await standardsServer();
    const observed = {
      source: { kind: 'mcp', locator: { url: 'https://x.example' } },
      live: false,
      take_over: true,
      entities: [{ part: '', entity: server('/weather') }],
    };
    await site.registry.observe(observed);
    await site.registry.patch('mcp_server', '/weather', { official_name: 'io.github.acme/weather' });
    await site.registry.observe({
      ...observed,
      entities: [{ part: '', entity: server('/weather', { tags: ['new'] }) }],
    });
    expect(await pages('')).toEqual(['io.github.acme/weather']);
  });
});

describe('several versions', () => {
  beforeEach(async () => {
    site = await standardsServer([server('/clock', { version: '2.0.0' }), server('/dock')]);
    await site.registry.addVersion(server('/clock', { version: '1.0.0', description: 'The old one.' }));
    await site.registry.addVersion(server('/clock', { version: '3.0.0', status: 'draft' }));
  });

  it('are all listed, the default one as the latest', async () => {
    const { json } = await site.get('/v0.1/servers');
    expect(faultsOf('serverList', json)).toEqual([]);
    const seen = json.servers.map((item: Listed) => [item.server.name, item.server.version, official(item)?.isLatest]);
    expect(seen).toEqual([
      ['local.dowser/clock', '2.0.0', true],
      ['local.dowser/clock', '1.0.0', false],
      ['local.dowser/dock', '1.0.0', true],
    ]);
    expect(await pages('')).toEqual(namesIn(json));
    expect(await pages('version=latest')).toEqual(['local.dowser/clock', 'local.dowser/dock']);
    expect(await pages('version=1.0.0')).toEqual(['local.dowser/clock', 'local.dowser/dock']);
  });

  it('are read one by one', async () => {
    const at = '/v0.1/servers/local.dowser%2Fclock/versions';
    const versions = (await site.get(at)).json.servers.map((item: Listed) => item.server.version);
    expect(versions).toEqual(['2.0.0', '1.0.0']);
    expect((await site.get(`${at}/1.0.0`)).json.server.description).toBe('The old one.');
    expect((await site.get(`${at}/latest`)).json.server.version).toBe('2.0.0');
    expect((await site.get(`${at}/3.0.0`)).status).toBe(404);
  });
});

describe('what is no longer listed', () => {
  beforeEach(async () => {
    site = await standardsServer(['/gone', '/hidden', '/kept', '/renamed'].map((path) => server(path)));
    await site.registry.put(server('/never', { visibility: 'private', owner: 'ada' }));
    await site.get('/v0.1/servers');
    await site.registry.delete('mcp_server', '/gone');
    await site.registry.delete('mcp_server', '/never');
    await site.registry.patch('mcp_server', '/hidden', { visibility: 'private' });
    await site.registry.patch('mcp_server', '/renamed', { official_name: 'io.github.acme/renamed' });
  });
  const deletedFor = async (query: string) => {
    const { json } = await site.get(`/v0.1/servers?${query}`);
    expect(faultsOf('serverList', json)).toEqual([]);
    return namesIn({ servers: json.servers.filter((item: Listed) => official(item)?.status === 'deleted') });
  };
  const GONE = ['local.dowser/gone', 'local.dowser/hidden', 'local.dowser/renamed'];

  it.each([
    ['', []],
    ['include_deleted=true', GONE],
    ['updated_since=2020-01-01T00:00:00Z', GONE],
    ['updated_since=2020-01-01T00:00:00Z&include_deleted=false', []],
    ['updated_since=2100-01-01T00:00:00Z', []],
    ['include_deleted=true&search=hidden', ['local.dowser/hidden']],
  ])('is told with %j', async (query, names) => {
    expect(await deletedFor(query)).toEqual(names);
  });

  it('is listed as before when it comes back, and pages carry it', async () => {
    expect(await pages('include_deleted=true')).toEqual([
      'io.github.acme/renamed',
      ...GONE.slice(0, 2),
      'local.dowser/kept',
      GONE[2],
    ]);
    await site.registry.put(server('/gone'));
    expect(await deletedFor('include_deleted=true')).toEqual(GONE.slice(1));
  });

  it('is not read by its name', async () => {
    expect((await site.get('/v0.1/servers/local.dowser%2Fgone/versions/latest')).status).toBe(404);
  });

  it('is remembered in a file, which may be damaged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dowser-names-'));
    const file = join(folder, 'names.jsonl');
    const errors: unknown[] = [];
    const opened = () => {
      const ledger = new NameLedger({
        file,
        now: () => '2026-05-01T00:00:00.000Z',
        onError: (error) => errors.push(error),
      });
      return new Directory(site.registry, LOCAL_NAMESPACE, ledger);
    };
    await opened().listing();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await site.registry.delete('mcp_server', '/kept');
    await writeFile(file, `${await readFile(file, 'utf8')}["cut of`);
    const { delisted } = await opened().listing();
    expect(delisted).toEqual([{ name: 'local.dowser/kept', version: '1.0.0', at: '2026-05-01T00:00:00.000Z' }]);
    expect((await opened().listing()).delisted).toEqual(delisted);
    expect(errors).toEqual([]);
    await rm(folder, { recursive: true });
    await site.registry.put(server('/another'));
    expect((await opened().listing()).delisted).toEqual([]);
    expect(errors).toHaveLength(1);
  });
});

describe('the other routes of the registry', () => {
  it.each([
    '/v0.1/health',
    '/v0.1/servers',
    '/v0.1/servers/local.dowser%2Fa/versions',
    '/v0.1/servers/local.dowser%2Fa/versions/latest',
  ])('%s answers with and without a slash at the end', async (path) => {
    site = await standardsServer([server('/a')]);
    const answers = await Promise.all([site.get(path), site.get(`${path}/`), site.get(`${path}/?x=1`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[1]?.json).toEqual(answers[0]?.json);
  });

  it.each(['//v0.1/servers', '/v0.1//servers', '/v0.1/servers//'])('%s leads to the list', async (target) => {
    site = await standardsServer([server('/a')]);
    expect((await site.raw(`${target}?limit=1`)).status).toBe(308);
    const { status, json } = await site.get(`${target}?limit=1`);
    expect([status, namesIn(json)]).toEqual([200, ['local.dowser/a']]);
    expect((await site.raw('//elsewhere.example/v0.1')).status).toBe(404);
  });

  it('say that the registry answers', async () => {
    site = await standardsServer();
    expect((await site.get('/v0.1/health')).json).toEqual({ status: 'ok' });
  });
});
