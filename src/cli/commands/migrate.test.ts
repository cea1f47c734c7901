import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { type GatewayCollections, gatewayCollections } from '../../../test/support/gateway-documents.ts';
import { type DumpFormat, writeDump } from '../../../test/support/gateway-dump.ts';
import { MongoWireServer } from '../../../test/support/mongo-wire-server.ts';
import { loadSettings } from '../../config.ts';
import type { Entity } from '../../model/entity.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { openRegistry } from '../../open.ts';
import type { GatewayMigration } from '../sources/migrate-gateway.ts';
import type { SourceReport } from '../sources/read-source.ts';
import { command } from './migrate.ts';
import { command as refresh } from './refresh.ts';

const FULL = { servers: 1000, agents: 200, skills: 200, virtual: 50, scopes: 20 };
const SMALL = { servers: 31, agents: 7, skills: 7, virtual: 5, scopes: 5 };

function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-move-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function migrate(from: string, data: string, ...more: readonly string[]): Promise<GatewayMigration> {
  return JSON.parse(await runCommand(command, ['migrate', '--from', from, '--to', data, '--json', ...more]));
}

/** Everything in a data folder, with the versions of servers. */
async function contentsOf(data: string) {
  const { settings } = loadSettings({ flags: { data_dir: data }, env: { EMBEDDINGS_PROVIDER: 'off' } });
  const registry = await openRegistry(settings, { background: false });
  try {
    const records = [];
    for await (const record of registry.all()) records.push(record);
    return { records, versions: await registry.annotated('mcp_server', 'versions') };
  } finally {
    await registry.close();
  }
}

const byId = (entities: readonly Entity[]) => new Map(entities.map((entity) => [entity.path, entity]));

/** Every text in the files of a folder, as bytes. */
function bytesIn(dir: string): readonly Buffer[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

/** Written from the scope documents alone: whether a group may list an entity, and see all of its tools. */
function mayList(scopes: readonly JsonObject[], group: string, entity: Entity): boolean {
  const held = scopes.filter(({ group_mappings }) => (group_mappings as string[]).includes(group));
  const names = new Set(['*', 'all', entity.path, entity.path.slice(1), entity.name, `${entity.path.slice(1)}/`]);
  const ui = (permission: string) =>
    held.flatMap(({ ui_permissions }) => (ui_permissions as Record<string, string[]>)[permission] ?? []);
  const rules = held
    .flatMap(({ server_access }) => server_access as JsonObject[])
    .flatMap((rule) => (rule.access_rules as JsonObject[] | undefined) ?? [rule]);
  const named = (list: readonly unknown[]) => list.some((name) => names.has(String(name)));
  if (entity.type === 'skill') return named(ui('list_skills'));
  if (entity.type === 'a2a_agent') {
    const ofRules = rules.flatMap(({ agent, agents }) =>
      agent !== undefined ? [agent] : isJsonObject(agents) ? ['all'] : [],
    );
    return named([...ui('list_agents'), ...ofRules]);
  }
  const own = rules.filter(({ server }) => named([server]));
  if (own.length === 0) return named(ui('list_service'));
  const tools = new Set(own.flatMap((rule) => rule.tools as string[]));
  if (tools.has('*') || tools.has('all') || own.some((rule) => rule.tools === 'all')) return true;
  return entity.type === 'mcp_server' && entity.tools.every(({ name }) => tools.has(name));
}

function readersOf(document: JsonObject, scopes: readonly JsonObject[], entity: Entity): readonly string[] {
  const groups = [...new Set(scopes.flatMap(({ group_mappings }) => group_mappings as string[]))];
  const own = new Set(document.allowed_groups as string[]);
  return groups
    .filter((group) => mayList(scopes, group, entity))
    .filter(
      (group) => document.visibility === 'public' || (document.visibility === 'group-restricted' && own.has(group)),
    )
    .sort();
}

const documentsAt = ({ collections }: GatewayCollections) =>
  new Map(
    Object.entries(collections)
      .filter(([name]) => /^(mcp_servers|mcp_agents|agent_skills|virtual_servers)_/.test(name))
      .flatMap(([, documents]) => documents)
      .filter(({ _id }) => !String(_id).includes(':'))
      .map((document) => [String(document._id).replace(/\/$/, ''), document]),
  );

describe('a move from a dump of the database', () => {
  it('accounts for every field, moves no secret and gives nobody more than before', async () => {
    const database = gatewayCollections(FULL);
    const dir = newFolder();
    const data = join(dir, 'data');
    const report = await migrate(writeDump(dir, database), data);

    expect(report.problems).toEqual([]);
    expect(report.entities).toEqual({
      mcp_server: { added: 1000 },
      a2a_agent: { added: 200 },
      skill: { added: 200 },
      virtual_server: { added: 50 },
    });

    // Every field of every document.
    const accounted = new Map<string, number>();
    for (const { collection, field, count } of report.fields) {
      const key = `${collection} ${field}`;
      accounted.set(key, (accounted.get(key) ?? 0) + count);
    }
    const expected = new Map<string, number>();
    for (const [name, documents] of Object.entries(database.collections)) {
      const base = name.replace(/_default$/, '');
      if (!['mcp_servers', 'mcp_agents', 'agent_skills', 'virtual_servers', 'mcp_scopes'].includes(base)) continue;
      for (const field of documents.flatMap((document) => Object.keys(document))) {
        expected.set(`${base} ${field}`, (expected.get(`${base} ${field}`) ?? 0) + 1);
      }
    }
    const topLevel = [...accounted].filter(([key]) => !/[.[]/.test(key));
    expect(new Map(topLevel)).toEqual(expected);
    expect(
      report.fields.every(({ fate, to, why }) => (fate === 'dropped' ? why !== undefined : to !== undefined)),
    ).toBe(true);
    expect(report.collections).toContainEqual({
      name: 'oauth_sessions_default',
      documents: null,
      why: expect.any(String),
    });

    // No secret, in any file. Every secret has one of these marks.
    const marks = ['hush-', 'sk-live-'];
    expect(database.secrets.length).toBeGreaterThan(4000);
    expect(database.secrets.every((secret) => marks.some((mark) => secret.includes(mark)))).toBe(true);
    const files = bytesIn(data);
    const holds = (text: string) => files.some((bytes) => bytes.includes(text));
    expect(holds('Does thing 998.')).toBe(true);
    expect(marks.filter(holds)).toEqual([]);
    expect(marks.filter((mark) => JSON.stringify(report).includes(mark))).toEqual([]);

    // Readers.
    const { records, versions } = await contentsOf(data);
    const entities = records.map(({ entity }) => entity);
    expect(marks.filter((mark) => JSON.stringify([records, [...versions]]).includes(mark))).toEqual([]);
    const scopes = database.collections.mcp_scopes_default!;
    const documents = documentsAt(database);
    const wrong = entities.filter((entity) => {
      const document = documents.get(entity.path)!;
      const readers = readersOf(document, scopes, entity);
      const visibility = readers.length === 0 ? 'private' : 'group-restricted';
      return entity.visibility !== visibility || [...entity.allowed_groups].sort().join() !== readers.join();
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
    expect(new Set(entities.map(({ visibility }) => visibility))).toEqual(new Set(['private', 'group-restricted']));

    // Tools in their three shapes, without blocked ones.
    const at = byId(entities);
    const tools = [...count(3)].map((n) => {
      const server = at.get(`/server-${n + 20}`)!;
      return server.type === 'mcp_server' ? server.tools : [];
    });
    expect(tools.map((list) => list.map(({ name }) => name.replace(/_\d+$/, '')))).toEqual(
      [
        ['read', 'write'],
        ['read', 'write', 'purge'],
        ['read', 'write', 'purge'],
      ].map((names, n) => ((n + 20) % 4 === 0 ? ['read', 'write'] : names)),
    );
    for (const list of tools) {
      expect(list[0]!.inputSchema).toMatchObject({ properties: { token: { type: 'string' } } });
      expect(list[0]!.description).not.toBe('');
    }
    const mapped = at.get('/virtual/set-4')!;
    expect(mapped.type === 'virtual_server' && mapped.tool_mappings.map(({ alias }) => alias)).toEqual(['get_4']);
    expect(JSON.stringify(entities.map((entity) => [entity, versions.get(entity.path)]))).not.toMatch(
      /purge_(?:\d*[02468])?[048]\b"/,
    );

    // Versions, and what is on.
    expect([...versions.keys()].sort()).toEqual(
      count(1000)
        .filter((n) => n % 30 === 0)
        .map((n) => `/server-${n}`)
        .sort(),
    );
    expect((versions.get('/server-30') as { entity: Entity }[]).map(({ entity }) => entity.version)).toEqual([
      'v2.0.0',
      'v3.0.0',
    ]);
    const enabled = entities.filter(({ is_enabled }) => is_enabled).map(({ path }) => path);
    expect(enabled.sort()).toEqual(
      [...documents]
        .filter(([, { is_enabled }]) => is_enabled === true)
        .map(([path]) => path)
        .sort(),
    );

    // A second run changes nothing.
    const again = await migrate(join(dir, 'dump'), data);
    expect(again.entities).toEqual({
      mcp_server: { unchanged: 1000 },
      a2a_agent: { unchanged: 200 },
      skill: { unchanged: 200 },
      virtual_server: { unchanged: 50 },
    });
    expect(await contentsOf(data)).toEqual({ records, versions });
  });

  it.each<DumpFormat>(['bson', 'bson.gz', 'lines', 'array', 'indented'])('reads %s', async (format) => {
    const dir = newFolder();
    const report = await migrate(writeDump(dir, gatewayCollections(SMALL), format), join(dir, 'data'));
    expect(report.entities).toEqual({
      mcp_server: { added: 31 },
      a2a_agent: { added: 7 },
      skill: { added: 7 },
      virtual_server: { added: 5 },
    });
  });
});

describe('what a move says', () => {
  const small = gatewayCollections(SMALL).collections;
  const dump = (dir: string, collections: GatewayCollections['collections']) =>
    writeDump(dir, { collections, secrets: [] });
  const refused = async (...argv: readonly string[]) =>
    toDowserError(await runCommand(command, ['migrate', ...argv]).catch((thrown: unknown) => thrown));

  it('makes everything private without the scope documents', async () => {
    const dir = newFolder();
    const { mcp_scopes_default: _, ...collections } = small;
    const report = await migrate(dump(dir, collections), join(dir, 'data'));
    expect(report.group_scopes).toBeNull();
    expect(report.notes.join()).toContain('no scope documents');
    const { records } = await contentsOf(join(dir, 'data'));
    expect(new Set(records.map(({ entity }) => entity.visibility))).toEqual(new Set(['private']));
  });

  it('asks which registry of a database with several', async () => {
    const dir = newFolder();
    const prod = {
      mcp_servers_prod: small.mcp_servers_default!.slice(1, 3),
      mcp_scopes_prod: small.mcp_scopes_default!,
    };
    const from = dump(dir, { ...small, ...prod });
    const error = await refused('--from', from, '--to', join(dir, 'data'));
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', hint: expect.stringContaining('default, prod') });
    const report = await migrate(from, join(dir, 'data'), '--namespace', 'prod');
    expect(report.entities).toEqual({ mcp_server: { added: 2 } });
  });

  it('names documents that cannot be moved, and moves the others', async () => {
    const dir = newFolder();
    const [first, second] = small.mcp_servers_default!;
    const servers = [
      first!,
      { ...first!, _id: '/server-0/' },
      { ...second!, tags: ['x'.repeat(600)] },
      { _id: '/alone:v2' },
    ];
    const report = await migrate(dump(dir, { ...small, mcp_servers_default: servers }), join(dir, 'data'));
    expect(report.entities.mcp_server).toEqual({ added: 1, refused: 1 });
    expect(report.problems.map(({ part, code }) => `${part} ${code}`).sort()).toEqual([
      'mcp_servers:/server-0/ DUPLICATE_PATH',
      'mcp_servers:/server-1 INVALID_REQUEST',
    ]);
    expect(report.skipped).toMatchObject([{ part: 'mcp_servers:/alone' }]);
  });

  it('tells people the same', async () => {
    const dir = newFolder();
    const said = await runCommand(command, ['migrate', '--from', dump(dir, small), '--to', join(dir, 'data')]);
    for (const line of [
      'MCP servers: 31 added',
      'mcp_servers_default  35 read',
      'oauth_sessions_default  not moved. Sign-ins, tokens and sessions are never read.',
      'mcp_servers.server_name  35  to name',
      'mcp_servers.auth_credential_encrypted  35  dropped. It is encrypted',
      'mcp_agents.name  7  taken',
      'group_scopes  group-0=read+write',
    ]) {
      expect(said).toContain(`  ${line}`);
    }
  });

  it('says what is missing or does not fit', async () => {
    const dir = newFolder();
    expect(await refused('--from', join(dir, 'nothing'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused('--from', dir, '--dry-run')).toMatchObject({ message: expect.stringContaining('--dry-run') });
    expect(await refused('--from', dir)).toMatchObject({ hint: expect.stringContaining('MCP gateway registry') });
    const to = ['--to', 'mongodb://127.0.0.1/x'];
    expect(await refused('--from', dump(dir, small), ...to)).toMatchObject({ code: 'INVALID_REQUEST', field: 'to' });
  });
});

describe('a move from the server of the database', () => {
  async function newServer(): Promise<MongoWireServer> {
    const server = await MongoWireServer.open({ ...gatewayCollections(SMALL).collections });
    onTestFinished(() => server.close());
    return server;
  }
  const addressOf = ({ port }: MongoWireServer) => `mongodb://127.0.0.1:${port}/mcp_registry`;
  const refreshed = async (data: string) => {
    const said = await runCommand(refresh, ['refresh', '--json', '--data', data]);
    const [source] = (JSON.parse(said) as { sources: SourceReport[] }).sources;
    const changed = source!.results.filter(({ state }) => state !== 'unchanged');
    return changed.map(({ path, state }) => `${path} ${state}`).sort();
  };
  const change = (server: MongoWireServer, base: string, id: string, fields: JsonObject) => {
    const name = `${base}_default`;
    const changed = server.collections[name]!.map((one) => (one._id === id ? { ...one, ...fields } : one));
    server.collections = { ...server.collections, [name]: changed };
  };
  const entityAt = async (data: string, path: string) =>
    (await contentsOf(data)).records.find(({ entity }) => entity.path === path)?.entity;

  it('gives the same as its dump, and stores a reference in place of the password', async () => {
    const dir = newFolder();
    const server = await newServer();
    const [byDump, byServer] = [join(dir, 'by-dump'), join(dir, 'by-server')];
    const { fields } = await migrate(writeDump(dir, gatewayCollections(SMALL)), byDump);
    const report = await migrate(addressOf(server), byServer);
    expect(report.fields).toEqual(fields);
    const entities = async (data: string) => (await contentsOf(data)).records.map(({ entity }) => entity);
    expect(await entities(byServer)).toEqual(await entities(byDump));

    const [url] = [addressOf(server).replace('//', '//ada:hush1234@')];
    server.failures.set('saslStart', 18);
    const refused = await migrate(url, join(dir, 'other')).catch(toDowserError);
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    expect(JSON.stringify(refused)).not.toContain('hush1234');
    expect((await dryRun(url, join(dir, 'other'))).message).toContain('{URL_PASSWORD}');
  });

  const dryRun = async (url: string, data: string) =>
    toDowserError(await migrate(url, data, '--dry-run').catch((thrown: unknown) => thrown));

  it('stores nothing in a dry run', async () => {
    const server = await newServer();
    const data = join(newFolder(), 'data');
    const report = await migrate(addressOf(server), data, '--dry-run');
    expect(report.entities.mcp_server).toEqual({ added: 31 });
    expect(existsSync(data)).toBe(false);
  });

  it('says so if the database changes while it is read', async () => {
    const server = await newServer();
    let reads = 0;
    server.onFind = (collection) => {
      if (collection === 'mcp_agents_default' && ++reads === 2) {
        change(server, 'mcp_agents', '/agents/agent-1', { updated_at: '2026-05-05T00:00:00' });
      }
    };
    const report = await migrate(addressOf(server), join(newFolder(), 'data'));
    expect(report.notes.filter((note) => note.includes('changed while'))).toEqual([
      'The collection mcp_agents_default has changed while it was read. Read it again.',
    ]);
  });

  it('is followed by refresh while both run: new, changed, deleted, and who may read', async () => {
    const server = await newServer();
    const data = join(newFolder(), 'data');
    await migrate(addressOf(server), data);
    expect(await refreshed(data)).toEqual([]);
    const before = await entityAt(data, '/server-6');
    expect(before).toMatchObject({ allowed_groups: ['group-0', 'group-2', 'group-9'], is_enabled: false });

    const groups = server.collections.mcp_scopes_default!.map((scope) =>
      scope._id === 'scope-1' ? { ...scope, ui_permissions: { list_service: ['/server-6'] } } : scope,
    );
    server.collections = { ...server.collections, mcp_scopes_default: groups };
    change(server, 'mcp_servers', '/server-6', { is_enabled: true });
    change(server, 'mcp_servers', '/server-1', { visibility: 'private', description: 'Changed there.' });
    const agents = server.collections.mcp_agents_default!.filter(({ _id }) => _id !== '/agents/agent-2');
    const fresh = { ...server.collections.mcp_servers_default![0], _id: '/fresh', server_name: 'Fresh' };
    const servers = [...server.collections.mcp_servers_default!, fresh];
    server.collections = { ...server.collections, mcp_agents_default: agents, mcp_servers_default: servers };

    const changed = await refreshed(data);
    expect(changed).toEqual(expect.arrayContaining(['/fresh added', '/agents/agent-2 deleted', '/server-6 updated']));
    expect(await entityAt(data, '/server-6')).toMatchObject({
      allowed_groups: ['group-0', 'group-1', 'group-2', 'group-9'],
      is_enabled: true,
    });
    expect(await entityAt(data, '/server-1')).toMatchObject({ visibility: 'private', description: 'Changed there.' });
    expect(await entityAt(data, '/agents/agent-2')).toBeUndefined();
    expect(await refreshed(data)).toEqual([]);
  });

  it('keeps everything if a collection is gone or the server does not answer', async () => {
    const server = await newServer();
    const data = join(newFolder(), 'data');
    await migrate(addressOf(server), data);
    const { records } = await contentsOf(data);
    const { agent_skills_default: _, ...others } = server.collections;
    server.collections = others;
    expect(await refreshed(data)).toEqual([]);
    server.failures.set('getMore', 11600).set('find', 11600);
    expect(await refreshed(data)).toEqual([]);
    expect((await contentsOf(data)).records).toEqual(records);
  });
});

const count = (size: number): readonly number[] => Array.from({ length: size }, (_, at) => at);
