import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Entity, type EntityOf, type EntityType, idOf, parseEntity, STATUSES } from '../../src/model/entity.ts';

const folder = new URL('../../examples/catalog/', import.meta.url);

/** The least the catalog promises for each file, so that it stays worth searching. */
const FILES = {
  'mcp-servers.jsonl': { type: 'mcp_server', atLeast: 85 },
  'virtual-servers.jsonl': { type: 'virtual_server', atLeast: 8 },
  'agents.jsonl': { type: 'a2a_agent', atLeast: 15 },
  'skills.jsonl': { type: 'skill', atLeast: 18 },
  'packages.jsonl': { type: 'package', atLeast: 40 },
  'documents.jsonl': { type: 'document', atLeast: 4 },
  'memories.jsonl': { type: 'memory', atLeast: 4 },
  'tools.jsonl': { type: 'tool', atLeast: 4 },
} as const satisfies Record<string, { type: EntityType; atLeast: number }>;

/** SPDX ids that occur. A new one is added here by hand, after a look at the license itself. */
const LICENSES = [
  'AGPL-3.0-only',
  'Apache-2.0',
  'BSD-3-Clause',
  'LGPL-3.0-only',
  'MIT',
  'MPL-2.0',
  'PostgreSQL',
  'SSPL-1.0',
  'blessing',
];

const RELATIONS = ['REQUIRES', 'INTEGRATES_WITH', 'COMPATIBLE_WITH', 'REPLACES'];

/** More would bury a server's card under its tools. */
const MAX_TOOLS = 12;

interface Line {
  readonly at: string;
  readonly input: { readonly type: string; readonly path: string };
}

const lines: readonly Line[] = Object.keys(FILES).flatMap((file) =>
  readFileSync(new URL(file, folder), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, i) => ({ at: `${file}:${i + 1}`, input: JSON.parse(line) })),
);
const entities: readonly Entity[] = lines.map((line) => parseEntity(line.input).entity);
const ofType = <T extends EntityType>(type: T) => entities.filter((e): e is EntityOf<T> => e.type === type);
const servers = ofType('mcp_server');
const packages = ofType('package');

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, i) => values.indexOf(value) !== i);
}

describe('the example catalog', () => {
  it('parses line by line without a warning and without losing a field', () => {
    for (const { at, input } of lines) {
      const { entity, warnings } = parseEntity(input);
      expect(warnings, at).toEqual([]);
      expect(entity, at).toMatchObject(input);
    }
  });

  it('names no entity twice', () => {
    expect(repeated(entities.map(idOf))).toEqual([]);
  });

  it('has one file for each type, and the vectors of their texts', () => {
    expect(readdirSync(folder).sort()).toEqual([...Object.keys(FILES), 'README.md', 'vectors.bin'].sort());
  });

  it.each(Object.entries(FILES))(
    '%s holds enough of its type only, in the order of paths',
    (file, { type, atLeast }) => {
      const own = lines.filter((line) => line.at.startsWith(`${file}:`)).map((line) => line.input);
      const paths = own.map((input) => input.path);
      expect(own.map((input) => input.type)).toEqual(own.map(() => type));
      expect(own.length).toBeGreaterThanOrEqual(atLeast);
      expect(paths).toEqual([...paths].sort());
      expect(readFileSync(new URL('README.md', folder), 'utf8')).toContain(
        `| \`${file}\` | \`${type}\` | ${own.length} |`,
      );
    },
  );

  it('describes and tags everything that is meant to be found', () => {
    for (const entity of entities) {
      expect(entity.name, idOf(entity)).not.toBe('');
      if (entity.type !== 'memory') expect(entity.description.length, idOf(entity)).toBeGreaterThan(20);
      expect(entity.tags.length, idOf(entity)).toBeGreaterThanOrEqual(2);
      expect(entity.tags.length, idOf(entity)).toBeLessThanOrEqual(6);
      expect(repeated(entity.tags), idOf(entity)).toEqual([]);
    }
  });

  it('uses only licenses that were looked up', () => {
    for (const { license, ...entity } of entities) {
      for (const id of license?.split(' OR ') ?? []) expect(LICENSES, idOf(entity)).toContain(id);
    }
    expect(packages.filter((entity) => entity.license === undefined)).toEqual([]);
  });

  it('shows every status, and something that is switched off', () => {
    for (const status of STATUSES)
      expect(
        entities.some((entity) => entity.status === status),
        status,
      ).toBe(true);
    expect(entities.filter((entity) => !entity.is_enabled).length).toBeGreaterThanOrEqual(2);
  });

  it('lists a handful of tools for a server, each once', () => {
    for (const { path, tools } of servers) {
      expect(tools.length, path).toBeLessThanOrEqual(MAX_TOOLS);
      expect(repeated(tools.map((tool) => tool.name)), path).toEqual([]);
      for (const tool of tools) expect(tool.description, `${path} ${tool.name}`).not.toBe('');
    }
    // Zapier's tools are chosen by each account, so there are none to list.
    expect(servers.filter((server) => server.tools.length === 0).map((server) => server.path)).toEqual(['/zapier']);
  });

  it('requires only parameters that a schema declares', () => {
    const tools = [...servers.flatMap((server) => server.tools), ...ofType('tool')];
    for (const { name, inputSchema } of tools) {
      const { type, properties, required } = inputSchema as { type: string; properties: object; required?: string[] };
      expect(type, name).toBe('object');
      expect(Object.keys(properties), name).toEqual(expect.arrayContaining(required ?? []));
    }
  });

  it('maps virtual tools to tools that exist, under names that do not clash', () => {
    const toolsOf = new Map(servers.map((server) => [server.path, server.tools.map((tool) => tool.name)]));
    for (const { path, tool_mappings } of ofType('virtual_server')) {
      expect(path).toMatch(/^\/virtual\//);
      expect(tool_mappings.length, path).toBeGreaterThan(0);
      for (const { backend_server_path, tool_name } of tool_mappings) {
        expect(toolsOf.get(backend_server_path) ?? [], `${path} -> ${backend_server_path}`).toContain(tool_name);
      }
      expect(repeated(tool_mappings.map((mapping) => mapping.alias ?? mapping.tool_name)), path).toEqual([]);
    }
  });

  it('builds no virtual server on one that is deprecated', () => {
    const gone = servers.filter((server) => server.status === 'deprecated').map((server) => server.path);
    const used = ofType('virtual_server').flatMap((server) => server.tool_mappings.map((m) => m.backend_server_path));
    expect(used.filter((path) => gone.includes(path))).toEqual([]);
  });

  it('relates packages only to other packages of the catalog', () => {
    const paths = packages.map((entity) => entity.path);
    for (const { path, relations } of packages) {
      for (const { type, target } of relations ?? []) {
        expect(RELATIONS, path).toContain(type);
        expect(paths, path).toContain(target);
        expect(target).not.toBe(path);
      }
    }
  });

  it('gives skills the name of their path and a body with headings', () => {
    for (const { path, name, body } of ofType('skill')) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(path).toBe(`/skills/${name}`);
      expect(body.trimEnd().split('\n').length, path).toBeGreaterThanOrEqual(15);
      expect(body.match(/^## /gm)?.length ?? 0, path).toBeGreaterThanOrEqual(2);
    }
  });

  it('gives every agent a skill with an example question', () => {
    for (const { path, skills } of ofType('a2a_agent')) {
      expect(skills.length, path).toBeGreaterThan(0);
      expect(repeated(skills.map((skill) => skill.id)), path).toEqual([]);
      for (const skill of skills) expect(skill.examples.length, `${path} ${skill.id}`).toBeGreaterThan(0);
    }
  });
});
