import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { DowserError } from '../../model/errors/errors.ts';
import type { LocalRegistry } from '../contract/registry.ts';

const inputSchema = { type: 'object', properties: { title: { type: 'string' } } };
const own = { type: 'tool', path: '/github#search', name: 'search', description: 'Registered by itself' };

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await memoryRegistry();
  // Before the server that has a tool of that name.
  await registry.put(own);
  await registry.putMany([
    {
      type: 'mcp_server',
      path: '/github',
      name: 'GitHub',
      tags: ['code'],
      status: 'beta',
      visibility: 'private',
      owner: 'ada',
      metadata: { team: 'tools' },
      tools: [
        { name: 'create_issue', description: 'Create an issue', inputSchema, examples: ['open a bug'] },
        { name: 'search', description: 'Search code' },
      ],
    },
    { type: 'mcp_server', path: '/odd#path', name: 'Odd', tools: [{ name: 'a#b' }] },
    { type: 'mcp_server', path: '/bare', name: 'Bare' },
    {
      type: 'virtual_server',
      path: '/virtual/dev',
      name: 'Dev',
      visibility: 'private',
      owner: 'ada',
      tool_mappings: [
        { tool_name: 'create_issue', alias: 'report', backend_server_path: '/github' },
        { tool_name: 'search', backend_server_path: '/github', description_override: 'Look it up' },
      ],
    },
  ]);
});
afterAll(() => registry.close());

const refusal = (promise: Promise<unknown>): Promise<DowserError> =>
  promise.then(
    () => {
      throw new Error('It was not refused.');
    },
    (error: DowserError) => error,
  );

describe('a tool of a server', () => {
  it('is read under the path that a search gives it', async () => {
    for (const query of ['create an issue', 'report', 'odd a#b']) {
      const { results } = await registry.search({ query, entity_types: ['tool'], min_confidence: 0 });
      expect(results.length).toBeGreaterThan(0);
      for (const { path, name, description } of results) {
        expect((await registry.get('tool', path)).entity).toMatchObject({ type: 'tool', path, name, description });
      }
    }
  });

  it('has what the server says of it, and its times, its reach and its tags', async () => {
    const { entity: server, ...times } = await registry.get('mcp_server', '/github');
    expect(await registry.get('tool', '/github#create_issue')).toEqual({
      ...times,
      entity: {
        type: 'tool',
        path: '/github#create_issue',
        name: 'create_issue',
        description: 'Create an issue',
        inputSchema,
        examples: ['open a bug'],
        server_path: server.path,
        tags: ['code'],
        metadata: {},
        status: 'beta',
        is_enabled: true,
        visibility: 'private',
        allowed_groups: [],
        owner: 'ada',
      },
    });
  });

  it.each([
    ['github#create_issue', { path: '/github#create_issue' }],
    ['/virtual/dev#report', { description: 'Create an issue', inputSchema, server_path: '/virtual/dev' }],
    ['dev#report', { path: '/virtual/dev#report' }],
    ['dev#search', { description: 'Look it up' }],
    ['/odd#path#a#b', { name: 'a#b', server_path: '/odd#path' }],
    ['/github#search', own],
  ])('is found as %s', async (path, expected) => {
    expect((await registry.get('tool', path)).entity).toMatchObject(expected);
  });

  it.each([
    ['/github#create_isue', '"/github" has no tool "create_isue".', 'Did you mean "/github#create_issue"?'],
    ['/github#CREATE_ISSUE', '"CREATE_ISSUE"', 'Did you mean "/github#create_issue"?'],
    ['/github#fork', '"/github" has no tool "fork".', 'It has 2 tools: read the mcp_server "/github" to see them.'],
    ['/github#', '"/github" has no tool "".', 'It has 2 tools'],
    ['/odd#path#x', '"/odd#path" has no tool "x".', 'It has one tool: '],
    ['/bare#x', '"/bare" has no tool "x".', 'It has no tools.'],
    ['dev#create_issue', 'virtual_server "/virtual/dev" has no tool "create_issue".', 'It has 2 tools'],
    ['/nowhere#x', "There is no tool at '/nowhere#x'.", 'Search for it'],
    ['#', "There is no tool at '#'.", 'Search for it'],
    [`/github${'#'.repeat(2000)}`, 'There is no tool at', 'Search for it'],
  ])('is missing as %s', async (path, words, hint) => {
    const error = await refusal(registry.get('tool', path));
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining(words) });
    expect(error.hint).toContain(hint);
  });

  it('is nothing but a tool', async () => {
    for (const type of ['mcp_server', 'document'] as const) {
      expect(await refusal(registry.get(type, '/github#create_issue'))).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('is written with its server, and not by itself', async () => {
    const path = '/virtual/dev#report';
    const { entity } = await registry.get('tool', path);
    for (const write of [
      () => registry.put(entity),
      () => registry.put({ ...entity, path: 'dev#report' }),
      () => registry.register(entity),
      () => registry.change('tool', path, () => ({ name: 'report' })),
      () => registry.patch('tool', path, { description: 'Mine' }),
      () => registry.rate('tool', path, { rating: 5 }),
      () => registry.acceptDrift('tool', path),
      () => registry.delete('tool', path),
    ]) {
      expect(await refusal(write())).toMatchObject({
        code: 'INVALID_REQUEST',
        field: 'path',
        message:
          'The tool "/virtual/dev#report" is part of the virtual_server "/virtual/dev" and has no record of its own.',
        hint: expect.stringContaining('Change the virtual_server "/virtual/dev"'),
      });
    }
    expect((await registry.get('tool', path)).entity).toEqual(entity);
  });

  it('leaves what is registered by itself to be changed', async () => {
    expect(await registry.put({ ...own, description: 'Changed' })).toMatchObject({ created: false });
    expect(await registry.putMany([own])).toMatchObject({ updated: 1 });
    expect((await registry.get('tool', own.path)).entity).toMatchObject(own);
    await registry.delete('tool', own.path);
    expect((await registry.get('tool', own.path)).entity.description).toBe('Search code');
  });

  it('is not written by itself in a batch either, which is refused whole', async () => {
    const tool = (path: string) => ({ type: 'tool', path, name: 'x' });
    const kettle = { type: 'mcp_server', path: '/kettle', name: 'Kettle', tools: [{ name: 'boil' }] };
    for (const [batch, at, path] of [
      [[tool('/other'), tool('/github#create_issue')], 1, '/github#create_issue'],
      [[tool('github#create_issue')], 0, '/github#create_issue'],
      [[tool('/kettle#boil'), kettle], 0, '/kettle#boil'],
    ] as const) {
      const error = await refusal(registry.putMany(batch));
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', field: `entities.${at}.path` });
      expect(error.message).toContain(`Entity ${at} of the batch: The tool "${path}" is part of the mcp_server`);
      expect(error.hint).toContain('its tools are written with it');
    }
    for (const [type, path] of [
      ['tool', '/other'],
      ['mcp_server', '/kettle'],
    ] as const) {
      expect(await refusal(registry.get(type, path))).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('leaves its path free once a batch takes the tool out of its server', async () => {
    const cup = { type: 'mcp_server', path: '/cup', name: 'Cup' };
    await registry.put({ ...cup, tools: [{ name: 'fill' }] });
    const fill = { type: 'tool', path: '/cup#fill', name: 'fill', description: 'By itself' };
    expect(await registry.putMany([cup, fill])).toMatchObject({ created: 1, updated: 1 });
    expect((await registry.get('tool', fill.path)).entity).toMatchObject(fill);
  });
});
