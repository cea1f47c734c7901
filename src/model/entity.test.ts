import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES, type EntityType, idOf, parseEntity, splitEntityId } from './entity.ts';

/** The least that each type needs. */
const LEAST: Readonly<Record<EntityType, object>> = {
  mcp_server: { path: '/clock', name: 'Clock' },
  tool: { path: 'clock/now', name: 'now' },
  virtual_server: { path: '/virtual/day', name: 'Day' },
  a2a_agent: { path: '/planner', name: 'Planner' },
  skill: { path: '/skills/notes', name: 'notes' },
  package: { path: 'npm/left', name: 'left' },
  memory: { path: 'm1', content: 'The build needs Node 20.' },
  document: { path: 'guide.md' },
};

const codeOf = (attempt: () => unknown) => {
  try {
    attempt();
  } catch (error) {
    return error as { code: string; field?: string; message: string };
  }
  throw new Error('nothing was thrown');
};

describe('an entity', () => {
  it.each(ENTITY_TYPES)('of type %s needs little and gets safe defaults', (type) => {
    const { entity, warnings } = parseEntity({ type, ...LEAST[type] });
    expect(entity).toMatchObject({
      type,
      status: 'active',
      is_enabled: true,
      visibility: 'public',
      tags: [],
      metadata: {},
    });
    expect(warnings).toEqual([]);
    expect(splitEntityId(idOf(entity))).toEqual({ type, path: entity.path });
  });

  it('ST-5: takes a status in any case and no other', () => {
    const server = { type: 'mcp_server', ...LEAST.mcp_server };
    expect(parseEntity({ ...server, status: 'ACTIVE' }).entity.status).toBe('active');
    for (const status of ['active', 'beta', 'deprecated', 'draft']) {
      expect(parseEntity({ ...server, status }).entity.status).toBe(status);
    }
    expect(codeOf(() => parseEntity({ ...server, status: 'unknown' }))).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'status',
    });
  });

  it('names the field and the value that are wrong', () => {
    const error = codeOf(() =>
      parseEntity({ type: 'mcp_server', path: '/x', name: 'X', tools: [{ name: 'ok' }, { name: 7 }] }),
    );
    expect(error.field).toBe('tools.1.name');
    expect(error.message).toContain('7');
  });

  it.each([{ type: 'robot', path: '/x' }, { path: '/x', name: 'X' }, { type: 5 }])(
    'of an unknown type is refused: %j',
    (input) => {
      expect(codeOf(() => parseEntity(input))).toMatchObject({ code: 'UNKNOWN_TYPE', field: 'type' });
    },
  );

  it.each([null, [], 'x', 5])('that is %j and not an object is refused', (input) => {
    expect(codeOf(() => parseEntity(input)).code).toBe('INVALID_REQUEST');
  });

  it.each([
    ['mcp-servr', "Did you mean 'mcp_server'? Use one of "],
    ['A2aAgent', "Did you mean 'a2a_agent'? Use one of "],
    ['starship', 'Use one of mcp_server'],
  ])('suggests the type that was meant by %s', (type, hint) => {
    expect(codeOf(() => parseEntity({ type, path: '/x', name: 'x' }))).toMatchObject({
      hint: expect.stringMatching(new RegExp(`^${hint.replace('?', '\\?')}`)),
    });
  });

  it.each(['', ' ', ' /x', '/x\n', 'a\u0000b', 'x'.repeat(513)])('cannot have the path %j', (path) => {
    expect(codeOf(() => parseEntity({ type: 'mcp_server', name: 'X', path }))).toMatchObject({ field: 'path' });
  });

  it.each(['/x', 'Tools/👋 Onboarding/Get User', '東京', 'a:b#c?d=%20'])('can have the path %j', (path) => {
    expect(parseEntity({ type: 'mcp_server', name: 'X', path }).entity.path).toBe(path);
  });

  it('refuses what JSON cannot hold, and what is nested without end', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = [deep];
    for (const metadata of [{ n: 1n }, { f: () => 1 }, circular, { deep }]) {
      expect(codeOf(() => parseEntity({ type: 'mcp_server', path: '/x', name: 'X', metadata })).code).toBe(
        'INVALID_REQUEST',
      );
    }
  });

  it('says which fields it did not know', () => {
    const { entity, warnings } = parseEntity({ type: 'mcp_server', path: '/x', name: 'X', desciption: 'typo' });
    expect(entity).not.toHaveProperty('desciption');
    expect(warnings).toEqual(["Unknown field 'desciption' of mcp_server was ignored. Did you mean 'description'?"]);
  });

  it('takes no field for another that is there too, and does not guess for ever', () => {
    const warningsOf = (more: object) => parseEntity({ type: 'skill', path: '/x', name: 'X', ...more }).warnings;
    expect(warningsOf({ description: 'x', summary: 'y' })[0]).not.toContain('Did you mean');
    expect(warningsOf({ summary: 'y' })[0]).toContain("Did you mean 'description'?");
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`descriptio${i}`, i]));
    const warnings = warningsOf(many);
    expect(warnings).toHaveLength(21);
    expect(warnings.filter((warning) => warning.includes('Did you mean'))).toHaveLength(20);
    expect(warnings.at(-1)).toBe('Other unknown fields of skill that were ignored: 80.');
    expect(warningsOf({ ['x'.repeat(1000)]: 1 })[0]!.length).toBeLessThan(120);
  });

  it('is done once for what it gave, and not for what only looks like that', () => {
    const given = { type: 'skill', path: '/x', name: 'X' };
    const parsed = parseEntity(given);
    expect(parseEntity(parsed)).toBe(parsed);
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(given);
    expect(() => parseEntity({ ...parsed })).toThrow("'type' is missing.");
  });

  it('reads the older spelling of a tool schema and a missing description', () => {
    const { entity } = parseEntity({
      type: 'mcp_server',
      path: '/x',
      name: 'X',
      tools: [{ name: 'go', description: null, schema: { type: 'object' } }],
    });
    expect(entity).toMatchObject({ tools: [{ name: 'go', description: '', inputSchema: { type: 'object' } }] });
  });
});

it.each(['/', '//', '///'])('refuses the path %j', (path) => {
  const entity = { type: 'mcp_server', path, name: 'X' };
  expect(() => parseEntity(entity)).toThrow('must have more than slashes, such as /github');
});
