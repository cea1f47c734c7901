import { expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/json-object.ts';
import type { SourceItem } from '../source.ts';
import { mongodbSource } from './mongodb-source.ts';

const LISTS = { list_service: ['all'], list_agents: ['all'], list_skills: ['all'] };
const ADMINS = { _id: 'admins', group_mappings: ['admins'], ui_permissions: LISTS };

/** The entities of a database, and its account. */
async function reading(collections: Readonly<Record<string, readonly JsonObject[]>>) {
  const source = mongodbSource({
    open: async () => ({
      collections: async () => Object.keys(collections),
      async *documents(name) {
        yield* collections[name] ?? [];
      },
      close: async () => {},
    }),
    locator: { folder: '/dump' },
    title: '/dump',
  });
  const items: SourceItem[] = [];
  for await (const item of source.read(new AbortController().signal)) items.push(item);
  const entities = items.flatMap((item) => ('entity' in item ? [item.entity as JsonObject] : []));
  return { items, entities, account: source.account()! };
}

it('keeps no field of an agent that is called like a secret, and reports each', async () => {
  const agent = {
    _id: '/agents/a',
    name: 'A',
    visibility: 'public',
    auth_token: 'plain words',
    client_secret: ['one'],
    credentials: { user: 'u', value: 'plain words' },
    metadata: { team: 'x', credentials: { user: 'u', value: 'plain words' } },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    documentationUrl: 'https://example.com/docs',
  };
  const { entities, account } = await reading({ mcp_agents_default: [agent], mcp_scopes_default: [ADMINS] });
  expect(entities).toHaveLength(1);
  expect(JSON.stringify(entities)).not.toMatch(/plain words|auth_token|client_secret|credentials/);
  expect(JSON.stringify(entities)).toContain('https://example.com/docs');
  expect(entities[0]).toMatchObject({ metadata: { team: 'x' }, card: { securitySchemes: { bearer: {} } } });
  const dropped = account.fields.flatMap(({ field, fate }) => (fate === 'dropped' ? [field] : []));
  expect(dropped).toEqual(
    expect.arrayContaining(['auth_token', 'client_secret', 'credentials', 'metadata.credentials']),
  );
});

it('shows a server only to groups that may use the tools of all its versions', async () => {
  const some = {
    _id: 'some',
    group_mappings: ['some'],
    ui_permissions: LISTS,
    server_access: [{ server: '/clock', methods: ['all'], tools: ['now'] }],
  };
  const clock = { _id: '/clock', server_name: 'Clock', visibility: 'public', tool_list: [{ name: 'now' }] };
  const newer = { ...clock, _id: '/clock:v2', version: 'v2', tool_list: [{ name: 'now' }, { name: 'set' }] };
  const groups = async (...servers: readonly JsonObject[]) => {
    const { entities, account } = await reading({ mcp_servers_default: servers, mcp_scopes_default: [ADMINS, some] });
    return [entities[0]!.allowed_groups ?? entities[0]!.visibility, account.notes.join().includes("'some' may use")];
  };
  expect(await groups(clock, { ...newer, tool_list: clock.tool_list })).toEqual([[], false]);
  expect(await groups(clock, newer)).toEqual([['admins'], true]);
});

it('keeps blocked tools out, however their names are padded', async () => {
  const server = {
    _id: '/clock',
    server_name: 'Clock',
    visibility: 'public',
    tool_list: [{ name: 'now' }, { name: ' purge' }, { name: 'wipe' }],
    tool_overrides: { ' wipe ': { blocked: true }, purge: { blocked: true } },
  };
  const virtual = {
    _id: '/virtual/v',
    server_name: 'V',
    visibility: 'public',
    tool_mappings: ['now', 'purge ', 'wipe'].map((tool_name) => ({ tool_name, backend_server_path: '/clock' })),
  };
  const { entities } = await reading({
    mcp_servers_default: [server],
    virtual_servers_default: [virtual],
    mcp_scopes_default: [ADMINS],
  });
  expect(entities).toHaveLength(2);
  expect(JSON.stringify(entities)).toContain('now');
  expect(JSON.stringify(entities)).not.toMatch(/wipe|purge/);
});
