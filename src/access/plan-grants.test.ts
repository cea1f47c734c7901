import { expect, it } from 'vitest';
import { parseEntity } from '../model/entity.ts';
import { partialGroups, planGrant } from './plan-grants.ts';
import { readScopeDocuments } from './scope-documents.ts';

const FILE = {
  'UI-Scopes': {
    admins: { list_service: ['all'], list_agents: ['all'], register_service: ['all'] },
    clocks: { list_service: ['currenttime'], list_agents: ['/planner'], toggle_service: [] },
  },
  group_mappings: { root: ['admins', 'everything/read'], lob1: ['clocks'], lob2: ['weather/read'], lob3: [] },
  'everything/read': [{ server: '*', methods: ['all'], tools: ['all'] }],
  'weather/read': [{ server: 'Weather', methods: ['tools/list'], tools: ['now'] }],
};
const DOCUMENTS = [
  {
    _id: 'admins',
    group_mappings: ['root'],
    server_access: [{ server: '*' }],
    ui_permissions: { list_service: ['all'], list_agents: ['all'], register_service: ['all'] },
  },
  {
    _id: 'clocks',
    group_mappings: ['lob1'],
    ui_permissions: { list_service: ['currenttime'], list_agents: ['/planner'] },
  },
  { _id: 'weather', group_mappings: ['lob2'], server_access: [{ server: 'Weather' }, 7], ui_permissions: null },
];
const server = (path: string, more: object = {}) =>
  parseEntity({ type: 'mcp_server', path, name: path.slice(1), description: 'x', ...more }).entity;
const groupsOf = (value: unknown, entity: ReturnType<typeof server>) =>
  planGrant(readScopeDocuments(value), entity)?.allowed_groups ?? null;

it.each([
  ['scopes.yml', FILE],
  ['documents of the database', DOCUMENTS],
])('shows an entity to the groups that may list it: %s', (_, value) => {
  expect(groupsOf(value, server('/currenttime'))).toEqual(['lob1', 'root']);
  expect(groupsOf(value, server('/w', { name: 'Weather' }))).toEqual(['lob2', 'root']);
  expect(groupsOf(value, server('/unlisted'))).toEqual(['root']);
  const agent = { type: 'a2a_agent', path: '/planner', name: 'p', description: 'x', url: 'https://a.example.com' };
  expect(groupsOf(value, parseEntity(agent).entity)).toEqual(['lob1', 'root']);
});

it('leaves what no group may list to its owner', () => {
  const some = [{ _id: 'a', group_mappings: ['g'], ui_permissions: { list_service: ['other'] } }];
  const plan = planGrant(readScopeDocuments(some), server('/x'));
  expect(plan).toEqual({ type: 'mcp_server', path: '/x', visibility: 'private', allowed_groups: [] });
});

it('gives no entity more readers than it has', () => {
  expect(groupsOf(FILE, server('/currenttime', { visibility: 'private', owner: 'ada' }))).toBeNull();
  const restricted = { visibility: 'group-restricted', allowed_groups: ['lob1', 'lob9'] };
  expect(groupsOf(FILE, server('/currenttime', restricted))).toEqual(['lob1']);
  expect(groupsOf(FILE, server('/currenttime', { ...restricted, allowed_groups: ['root', 'lob1'] }))).toBeNull();
});

it('leaves alone what every group may list, and what no permission is about', () => {
  const all = [{ _id: 'a', group_mappings: ['g'], ui_permissions: { list_service: ['all'] } }];
  expect(groupsOf(all, server('/x'))).toBeNull();
  const skill = parseEntity({ type: 'skill', path: '/k', name: 'k', description: 'x' }).entity;
  expect(groupsOf(FILE, skill)).toBeNull();
});

it('takes permissions beyond reading for write, and makes nobody an admin', () => {
  const grants = readScopeDocuments(FILE);
  expect([...grants].map(([group, { scopes }]) => [group, [...scopes].sort()])).toEqual([
    ['root', ['read', 'write']],
    ['lob1', ['read']],
    ['lob2', ['read']],
  ]);
});

it('notes the servers of which a group may use some tools only', () => {
  const rules = [
    { server: 'a', tools: ['x', '*'] },
    { server: 'b', tools: [] },
    { server: 'c' },
    { server: 'd', tools: ['x'] },
  ];
  const partial = (value: unknown) =>
    [...readScopeDocuments(value)].map(([group, one]) => [group, [...one.someTools.keys()]]);
  expect(partial(FILE)).toEqual([
    ['root', []],
    ['lob1', []],
    ['lob2', ['Weather']],
  ]);
  expect(partial([{ _id: 'a', group_mappings: ['g'], server_access: rules }])).toEqual([['g', ['b', 'd']]]);
});

it.each([[null], [[]], [{}], ['text'], [[{ _id: 'x' }]]])('refuses %j', (value) => {
  expect(() => readScopeDocuments(value)).toThrow('no scope to any group');
});

it('shows a server to those who may use all its tools, however their rules are written', () => {
  const tools = [{ name: 'now' }, { name: 'then' }];
  const scope = (group: string, ...server_access: object[]) => ({ _id: group, group_mappings: [group], server_access });
  const documents = [
    scope('one', { server: '/clock', tools: ['now'] }),
    scope('both', { server: '/clock', tools: ['now'] }, { server: 'clock/', tools: ['then'] }),
    scope('nested', { scope_name: 'nested', access_rules: [{ server: '/clock/', tools: ['*'] }] }),
    { _id: 'ui', group_mappings: ['ui', 'one'], ui_permissions: { list_service: ['clock'] } },
  ];
  const grants = readScopeDocuments(documents);
  expect(planGrant(grants, server('/clock', { tools }))?.allowed_groups).toEqual(['both', 'nested', 'ui']);
  expect(partialGroups(grants, server('/clock', { tools }))).toEqual(['one']);
});

it('reads rules about agents', () => {
  const documents = [
    {
      _id: 'a',
      group_mappings: ['all'],
      server_access: [{ agents: { actions: [{ action: 'list_agents', resources: ['all'] }] } }],
    },
    {
      _id: 'b',
      group_mappings: ['one'],
      server_access: [{ agent: '/planner', actions: ['list_agents', 'get_agent'] }],
    },
  ];
  const agent = (path: string) =>
    parseEntity({ type: 'a2a_agent', path, name: 'p', url: 'https://a.example.com' }).entity;
  expect(groupsOf(documents, agent('/planner'))).toEqual(['all', 'one']);
  expect(groupsOf(documents, agent('/other'))).toEqual(['all']);
});

it('hides what no group may list where the documents are all there is', () => {
  const skill = parseEntity({ type: 'skill', path: '/k', name: 'k', description: 'x' }).entity;
  expect(planGrant(readScopeDocuments(FILE), skill, { unmentioned: 'private' })?.visibility).toBe('private');
});
