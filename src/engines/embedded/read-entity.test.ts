import { expect, it } from 'vitest';
import { type Entity, idOf, parseEntity } from '../../model/entity.ts';
import { ReadEntity } from './read-entity.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const OTHER = { type: 'object', properties: { 'inputSchema":{': { default: '}' } } };

const parsed = (input: object): Entity => parseEntity(input).entity;

function read(entity: Entity): ReadEntity {
  return new ReadEntity(idOf(entity), [1, 'created', 'updated', JSON.stringify(entity)]);
}

const weather = (metadata: Record<string, unknown> = {}) =>
  parsed({
    type: 'mcp_server',
    path: '/weather',
    name: 'Weather',
    metadata,
    tools: [
      { name: 'now', inputSchema: SCHEMA },
      { name: 'ping' },
      { name: 'later', description: 'Tomorrow.', inputSchema: OTHER, examples: ['rain?'] },
    ],
  });

it.each([
  ['keeps them apart', {}],
  ['knows them from others of the name', { inputSchema: { theirs: true } }],
])('shows the tools of a server, and %s', (_, metadata) => {
  const entity = weather(metadata);
  const shown = read(entity);
  expect([0, 1, 2, 3, -1].map((tool) => shown.inputSchema(tool))).toEqual([
    SCHEMA,
    undefined,
    OTHER,
    undefined,
    undefined,
  ]);
  expect(shown.entity).toMatchObject({
    name: 'Weather',
    metadata,
    tools: [{ name: 'now' }, { name: 'ping' }, { name: 'later' }],
  });
  expect(shown.inputSchema(0)).toBe(shown.inputSchema(0));
});

it('gives the whole of it back as it was stored, to the byte', () => {
  for (const entity of [
    weather(),
    weather({ inputSchema: {} }),
    parsed({ type: 'mcp_server', path: '/none', name: 'None' }),
    parsed({ type: 'tool', path: '/tool', name: 'tool', inputSchema: SCHEMA }),
    parsed({ type: 'document', path: '/text', name: 'text', body: '{"type":"mcp_server","inputSchema":{' }),
  ]) {
    const { stored } = read(entity);
    expect(stored).toEqual({ id: idOf(entity), entity, createdAt: 'created', updatedAt: 'updated' });
    expect(JSON.stringify(stored.entity)).toBe(JSON.stringify(entity));
  }
});

it('makes the whole of it once', () => {
  const shown = read(weather());
  expect(shown.stored).toBe(shown.stored);
});

it('keeps what it gives from being changed by whoever gets it', () => {
  const shown = read(weather());
  const { entity } = shown.stored;
  for (const change of [
    () => entity.tags.push('other'),
    () => Object.assign(entity, { name: 'other' }),
    () => Object.assign(entity.type === 'mcp_server' ? entity.tools[0]! : {}, { name: 'other' }),
    () => shown.entity.tags.push('other'),
    () => Object.assign(shown.inputSchema(0)!, { type: 'other' }),
    () => Object.assign(shown.stored, { createdAt: 'other' }),
  ]) {
    expect(change).toThrow(TypeError);
  }
});
