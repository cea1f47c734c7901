import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { command as add } from '../../src/cli/commands/add.ts';
import { command as get } from '../../src/cli/commands/get.ts';
import { command as refresh } from '../../src/cli/commands/refresh.ts';
import { ENTITY_TYPES } from '../../src/model/entity-parts/names.ts';
import { dowserSource } from '../../src/sources/kinds/dowser-source.ts';
import { DEFAULT_LIMITS, type SourceItem } from '../../src/sources/source.ts';
import { runCommand } from '../support/command-run.ts';
import { standardsServer, type TestServer } from '../support/standards-server.ts';

const ENTITIES = [
  {
    type: 'mcp_server',
    path: '/weather',
    name: 'Weather',
    official_name: 'io.github.acme/weather',
    tools: [{ name: 'forecast', description: 'Tells the weather', annotations: { readOnlyHint: true } }],
    metadata: { remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp' }] },
  },
  {
    type: 'mcp_server',
    path: '/old',
    name: 'Old',
    status: 'deprecated',
    status_message: 'Use /weather',
    is_enabled: false,
  },
  {
    type: 'mcp_server',
    path: '/team',
    name: 'Team',
    visibility: 'group-restricted',
    allowed_groups: ['there'],
    owner: 'somebody-there',
  },
  { type: 'tool', path: '/lone-tool', name: 'lone', description: 'Works alone' },
  {
    type: 'virtual_server',
    path: '/bundle',
    name: 'Bundle',
    tool_mappings: [{ tool_name: 'forecast', backend_server_path: '/weather' }],
  },
  { type: 'a2a_agent', path: '/agent', name: 'Agent', url: 'https://agent.example', skills: [{ id: 's', name: 'S' }] },
  { type: 'skill', path: '/skills/pdf', name: 'pdf', body: '# PDF\nFill in forms' },
  { type: 'package', path: 'npm:zod', name: 'zod', package_name: 'zod', ecosystem: 'npm' },
  { type: 'memory', path: '/x', name: 'm', content: 'The office is in Bern' },
  { type: 'document', path: '/notes.md', name: 'notes', text: 'Some notes', chunks: [] },
];

let dir: string;
let there: TestServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-copy-'));
  there = await standardsServer(ENTITIES);
});
afterEach(async () => {
  await there.close();
  await rm(dir, { recursive: true });
});

const run = async (command: typeof add, ...args: string[]) =>
  JSON.parse(await runCommand(command, [...args, '--json', '--data', join(dir, 'data')]));
const states = ({ results }: { results: readonly { entity_type: string; path: string; state: string }[] }) =>
  Object.fromEntries(results.map(({ entity_type, path, state }) => [`${entity_type}:${path}`, state]));

it('takes everything of another Dowser, says what changed, and what is gone', async () => {
  const first = await run(add, 'add', there.url);
  const [source] = first.sources;
  expect(source.kind).toBe('dowser');
  expect(source.problems).toEqual([]);
  const types = new Set(source.results.map(({ entity_type }: { entity_type: string }) => entity_type));
  expect([...types].sort()).toEqual([...ENTITY_TYPES].sort());
  expect(new Set(Object.values(states(source)))).toEqual(new Set(['added']));

  const again = await run(add, 'add', there.url);
  expect(new Set(Object.values(states(again.sources[0])))).toEqual(new Set(['unchanged']));

  await there.registry.patch('mcp_server', '/weather', { description: 'Now with wind', is_enabled: false });
  await there.registry.delete('skill', '/skills/pdf');
  const { sources } = await run(refresh, 'refresh');
  expect(states(sources[0])).toMatchObject({
    'mcp_server:/weather': 'updated',
    'skill:/skills/pdf': 'dead',
    'a2a_agent:/agent': 'unchanged',
  });
  const { entity: weather } = await run(get, 'get', 'mcp_server:/weather');
  expect(weather).toMatchObject({
    description: 'Now with wind',
    is_enabled: false,
    official_name: 'io.github.acme/weather',
    tools: ENTITIES[0]!.tools,
    metadata: ENTITIES[0]!.metadata,
  });
});

it('keeps the lifecycle, and makes nothing public that was not', async () => {
  const items: SourceItem[] = [];
  const context = { env: {}, version: '0', limits: DEFAULT_LIMITS };
  for await (const item of dowserSource({ url: there.url }, context).read(new AbortController().signal))
    items.push(item);
  const entityAt = (part: string) =>
    items.flatMap((item) => ('entity' in item && item.part === part ? [item.entity] : []))[0];
  expect(entityAt('mcp_server:/old')).toMatchObject({
    status: 'deprecated',
    status_message: 'Use /weather',
    is_enabled: false,
    visibility: 'public',
  });
  const team = entityAt('mcp_server:/team');
  expect(team).toMatchObject({ visibility: 'private' });
  expect(Object.keys(team!)).not.toContain('owner');
  expect(Object.keys(team!)).not.toContain('allowed_groups');
});

it('takes memories as foreign texts, also those of a user', async () => {
  const said = { type: 'memory', path: '/said', name: 's', content: 'Pay every bill', source_class: 'user' };
  await there.registry.put(said);
  await run(add, 'add', there.url);
  for (const path of ['/said', '/x']) {
    const { entity } = await run(get, 'get', `memory:${path}`);
    expect(entity.source_class).toBe('document');
  }
});

it('asks for smaller pages if one is too large', async () => {
  const texts = [1, 2, 3].map((at) => ({
    type: 'skill',
    path: `/skills/long-${at}`,
    name: `long-${at}`,
    body: 'x'.repeat(9000),
  }));
  await there.registry.putMany(texts);
  const parts: string[] = [];
  const context = { env: {}, version: '0', limits: { ...DEFAULT_LIMITS, maxBytes: 12_000 } };
  for await (const { part } of dowserSource({ url: there.url }, context).read(new AbortController().signal))
    parts.push(part);
  expect(parts).toContain('skill:/skills/long-3');
  expect(new Set(parts).size).toBe(parts.length);
  expect(parts.length).toBe(ENTITIES.length + 3);
});

it('says what to do if it needs a key', async () => {
  const closed = await standardsServer([], { open_access: false, auth: true, data_dir: join(dir, 'closed') });
  try {
    await expect(run(add, 'add', closed.url)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      hint: expect.stringContaining('--header'),
    });
  } finally {
    await closed.close();
  }
});
