import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import type { FullCatalog } from '../catalog/catalog.ts';
import { TOOLPILOT_TOOLS } from './toolpilot.ts';

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await memoryRegistry();
  const orm = (path: string, language: string, more: object = {}) => ({
    type: 'package',
    path,
    name: path.slice(1),
    description: 'An ORM for databases',
    language,
    ...more,
  });
  await registry.putMany([
    orm('/prisma', 'TypeScript', { relations: [{ type: 'COMPATIBLE_WITH', target: '/postgres' }] }),
    orm('/drizzle', 'TypeScript'),
    orm('/django', 'Python'),
    orm('/gorm', 'Go'),
    { type: 'package', path: '/postgres', name: 'postgres', description: 'Stores tables' },
    {
      type: 'package',
      path: '/mongo',
      name: 'mongo',
      description: 'Stores documents, not tables, in one place for all',
    },
  ]);
});
afterAll(() => registry.close());

async function call(name: string, input: object): Promise<Record<string, never>> {
  const tool = TOOLPILOT_TOOLS.find((one) => one.name === name)!;
  const { structured, text } = await tool.run(
    registry as LocalRegistry & FullCatalog,
    tool.input.parse(input) as z.output<typeof tool.input>,
  );
  expect(text).toMatch(/\w/);
  expect(structured).toMatchObject({ ok: true });
  return structured.data as Record<string, never>;
}

it.each([{ language: 'Python' }, { filters: { language: 'Python' } }])(
  'takes the context %j, of the docs or of the code',
  async (context) => {
    const data = await call('search_tools', { query: 'an orm', context, user_id: 'x' });
    expect(data).toMatchObject({
      type: 'result',
      status: 'complete',
      recommendation: { tool: '/django', language: 'python' },
      results: [{ tool: '/django' }],
      questions: [],
    });
  },
);

it('takes filters of any name: facets count, the others are named in a warning', async () => {
  const filters = { language: 'Python', stars: { min: 10 }, deployment_model: 'self-hosted', topic: 'orm' };
  const data = await call('search_tools', {
    query: 'an orm',
    context: { filters: { ...filters, deployment_model: 3 } },
  });
  expect(data).toMatchObject({ recommendation: { tool: '/django' } });
  const ignored = (data.warnings as unknown as readonly string[]).filter((warning) => warning.startsWith('The filter'));
  expect(ignored.map((warning) => /"(.*)"/.exec(warning)?.[1])).toEqual(['stars', 'deployment_model', 'topic']);
});

it.each([{ language: 'go' }, [{ dimension: 'language', value: 'Go' }]])('takes the answers %j', async (answers) => {
  const { query_id, ...data } = await call('search_tools', { query: 'an orm for databases' });
  expect(data).toMatchObject({ type: 'clarification', questions: [{ key: 'language', dimension: 'language' }] });
  expect(await call('search_tools_respond', { query_id, answers })).toMatchObject({
    recommendation: { tool: '/gorm' },
  });
});

it('compares versions, of the newest and of those that are asked about', async () => {
  const npm = { type: 'package', ecosystem: 'npm', description: 'A part of a page' };
  await registry.putMany([
    { ...npm, path: '/react', name: 'react', version: '19.2.5', versions: ['17.0.2', '18.3.1', '19.2.5'] },
    { ...npm, path: '/next', name: 'next', version: '15.0.0', peers: [{ name: 'react', range: '^18 || ^19' }] },
    { ...npm, path: '/old-form', name: 'old-form', peers: [{ name: 'react', range: '^17' }] },
    { ...npm, path: '/far', name: 'far', peers: [{ name: 'react', range: '^20' }] },
  ]);
  const check = (tool_a: string, more: object = {}) =>
    call('check_compatibility', { tool_a, tool_b: '/react', ...more });
  const declared = { source: 'declared_dependency' };
  expect(await check('/next')).toMatchObject({ ...declared, status: 'compatible', partial: false });
  expect(await check('/old-form')).toMatchObject({
    status: 'compatible',
    partial: true,
    versions: { '/react': '17.0.2' },
  });
  expect(await check('/far')).toMatchObject({ ...declared, status: 'conflicts', versions: {} });
  for (const more of [{ version_b: '17.0.2' }, { versions: { tool_b: '17.0.2' } }]) {
    expect(await check('/next', more)).toMatchObject({ status: 'conflicts' });
    expect(await check('/old-form', more)).toMatchObject({ status: 'compatible', partial: false });
  }
  const stack = await call('get_stack', { use_case: 'the next page', existing_tools: ['/react', 'no-such-thing'] });
  expect(stack).toMatchObject({
    stack: [{ tool: '/next', integration_notes: ['next needs react ^18 || ^19: 19.2.5 fits'] }],
    stack_compatibility: 'compatible',
    warnings: expect.arrayContaining([expect.stringContaining('no-such-thing')]),
  });
  const part = await call('get_stack', { use_case: 'old-form', existing_tools: ['/react'] });
  expect(part.stack_compatibility).toBe('partial');
});

it('TP-16: a result has the links, the health and the warnings that its clients show', async () => {
  const sent = { type: 'package', description: 'Carries parcels by drone', ecosystem: 'npm' };
  await registry.putMany([
    {
      ...sent,
      path: '/drone',
      name: 'drone',
      repository: 'https://github.com/parcels/drone',
      homepage: 'https://drone.example',
      metadata: { docs: { api: 'https://drone.example/api', changelog: 'javascript:alert(1)' } },
      health: { maintenance: 0.123, stars: 40, last_commit_date: '2020-01-01' },
    },
  ]);
  const data = await call('search_tools', { query: 'parcels by drone' });
  expect(data).toMatchObject({ stage: 4, type: 'result' });
  expect(Object.keys(data.timing!)).toEqual(['stage1_ms', 'stage2_ms', 'stage3_ms', 'stage4_ms', 'total_ms']);
  expect(data.recommendation).toMatchObject({
    tool: '/drone',
    github_url: 'https://github.com/parcels/drone',
    docs: {
      readme: 'https://github.com/parcels/drone#readme',
      official: 'https://drone.example',
      api: 'https://drone.example/api',
      changelog: null,
    },
    health: { stars: 40, maintenance_score: 0.12, last_commit_date: '2020-01-01' },
    deprecation_warning: expect.stringMatching(/maintenance is 12 %.*last commit .* 2020-01-01/),
  });
  await registry.putMany([
    {
      ...sent,
      path: '/drone',
      name: 'drone',
      repository: 'https://git.example/drone',
      health: { maintenance: 0.2, last_commit_date: '2999-01-01' },
    },
  ]);
  const { recommendation } = await call('search_tools', { query: 'parcels by drone' });
  expect(recommendation).toMatchObject({
    github_url: null,
    docs: { readme: null, official: 'https://git.example/drone', api: null, changelog: null },
    health: { stars: null, maintenance_score: 0.2 },
    deprecation_warning: null,
  });
  await registry.delete('package', '/drone');
  const asked = await call('search_tools', { query: 'an orm for databases' });
  expect(asked).toMatchObject({ status: 'clarification_needed', stage: 1, timing: { total_ms: expect.any(Number) } });
});

it('TP-17: a package is found by its package name', async () => {
  const npm = { type: 'package', ecosystem: 'npm', description: 'Draws charts' };
  await registry.putMany([
    {
      ...npm,
      path: '/charts',
      name: 'Charts',
      package_name: '@Draw/charts',
      relations: [{ type: 'REQUIRES', target: '/ink' }],
    },
    { ...npm, path: '/ink', name: 'Ink Well', package_name: 'ink.js' },
    // The path of the one ends with the package name of the other.
    { ...npm, path: '/old/ink.js', name: 'Old Ink' },
  ]);
  const pair = { tool_a: '@draw/Charts', tool_b: 'INK.js' };
  expect(await call('check_compatibility', pair)).toMatchObject({
    tool_a: '/charts',
    tool_b: '/ink',
    status: 'requires',
  });
  expect(await call('compare_tools', pair)).toMatchObject({ entities: [{ path: '/charts' }, { path: '/ink' }] });
  expect(await call('search_tools', { query: '@draw/charts' })).toMatchObject({ recommendation: { tool: '/charts' } });
  const stack = await call('get_stack', { use_case: 'charts for a page', existing_tools: ['ink.js'] });
  expect(JSON.stringify(stack.warnings)).not.toContain('ink.js');
  await registry.put({ ...npm, path: '/pypi/ink', name: 'Ink for Python', ecosystem: 'pypi', package_name: 'ink.js' });
  await expect(call('compare_tools', pair)).rejects.toThrow('Several entities are named "INK.js"');
});

it('keeps to the class of license that a stack must have', async () => {
  const sent = { type: 'package', description: 'Sends letters by post' };
  await registry.putMany([
    { ...sent, path: '/free-post', name: 'free-post', license: 'GPL-3.0-only' },
    { ...sent, path: '/post', name: 'post', license: 'MIT' },
    { ...sent, path: '/paid-post', name: 'paid-post', license: 'BUSL-1.1' },
  ]);
  const wanted = { permissive: '/post', copyleft: '/free-post', proprietary: '/paid-post' };
  for (const [license, tool] of Object.entries(wanted)) {
    const asked = { use_case: 'sends letters', constraints: { license } };
    expect(await call('get_stack', asked)).toMatchObject({ stack: [{ tool, relaxed: [], alternatives: [] }] });
  }
});

it('chooses a stack, compares, checks and reports', async () => {
  const needs = ['an orm', { sub_need_type: 'database', keyword_sentence: 'stores tables' }];
  const constraints = { language: 'TypeScript' };
  const stack = await call('get_stack', { use_case: 'an app', sub_needs: needs, constraints });
  expect(stack).toMatchObject({
    stack: [{ role: 'an orm' }, { role: 'database', tool: '/postgres' }],
    stack_compatibility: expect.any(String),
  });
  const first = await call('get_stack', { use_case: 'an app', sub_needs: needs, limit: 1 });
  expect(first.stack).toHaveLength(1);
  const pair = { tool_a: '/prisma', tool_b: 'postgres' };
  expect(await call('check_compatibility', pair)).toMatchObject({
    tool_a: '/prisma',
    tool_b: '/postgres',
    status: 'compatible',
    source: 'graph_edges',
  });
  expect(await call('compare_tools', pair)).toMatchObject({ relations: [{ relation: 'COMPATIBLE_WITH' }] });
  const outcome = { chosen_tool: '/prisma', outcome: 'success', used_with: ['/postgres'] };
  expect(await call('report_outcome', outcome)).toMatchObject({ counted: 1 });
});
