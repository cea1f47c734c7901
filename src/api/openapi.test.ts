import { describe, expect, it } from 'vitest';
import { ENTITY_TYPES } from '../model/entity.ts';
import { contract } from './contract.ts';
import { toOpenApi } from './openapi.ts';
import { OPERATION_NAMES } from './routes/routes.ts';
import { STANDARD_NAMES, standardsContract } from './routes/standards-contract.ts';

function madeFor(version: string): { readonly document: Record<string, unknown>; readonly turns: number } {
  const slices = toOpenApi(version);
  for (let turns = 0; ; turns++) {
    const slice = slices.next();
    if (slice.done === true) return { document: slice.value, turns };
  }
}

const document = madeFor('1.2.3').document as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
};
const { paths, components } = document;

function* nodes(value: unknown): Generator<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* nodes(inner);
}

describe('toOpenApi', () => {
  it('lets others have a turn after each operation', () => {
    expect(madeFor('1').turns).toBe(OPERATION_NAMES.length + STANDARD_NAMES.length);
  });

  it('describes every operation at its own path and method', () => {
    for (const name of OPERATION_NAMES) {
      const { method, path, summary } = contract[name];
      expect(paths[path.replace('*}', '}')]?.[method.toLowerCase()]).toMatchObject({ operationId: name, summary });
    }
    for (const name of STANDARD_NAMES) {
      const { method, path, summary } = standardsContract[name];
      expect(paths[path]?.[method.toLowerCase()]).toMatchObject({ operationId: name, summary });
    }
    const described = Object.values(paths).flatMap((methods) => Object.keys(methods));
    expect(described).toHaveLength(OPERATION_NAMES.length + STANDARD_NAMES.length);
  });

  it('refers only to existing schemas, and has no unused ones', () => {
    const used = new Set([...nodes(document)].map((node) => node.$ref).filter((to) => to !== undefined));
    const known = Object.keys(components.schemas).map((name) => `#/components/schemas/${name}`);
    expect([...used].sort()).toEqual(known.sort());
  });

  it('declares every parameter that a path has', () => {
    for (const [path, methods] of Object.entries(paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(methods)) {
        const declared = ((operation.parameters ?? []) as { name: string; in: string; required: boolean }[])
          .filter((parameter) => parameter.in === 'path')
          .map(({ name, required }) => (required ? name : `${name} is optional`));
        expect(declared).toEqual(inPath);
      }
    }
  });

  it('describes an entity of each type with and without type and path', () => {
    expect(components.schemas.EntityBody!.anyOf).toHaveLength(ENTITY_TYPES.length);
    expect(components.schemas.McpServerBody!.required).toEqual(['name']);
    expect(components.schemas.EntityInput!.oneOf).toContainEqual({
      allOf: [{ $ref: '#/components/schemas/McpServerBody' }],
      required: ['type', 'path'],
    });
  });

  it('lists the errors of each operation', () => {
    const search = paths['/api/search/semantic']!.post!.responses as Record<string, { description: string }>;
    expect(Object.keys(search)).toEqual(['200', '400', '401', '403', '413', '415', '422', '429', '500', '503']);
    expect(search[422]!.description).toContain('UNKNOWN_PRESET');
    const read = paths['/api/health']!.get!.responses as Record<string, unknown>;
    expect(Object.keys(read)).not.toContain('413');
    const metrics = paths['/metrics']!.get!.responses as Record<string, { content: object }>;
    expect(Object.keys(metrics[200]!.content)).toEqual(['text/plain']);
  });

  it('allows new fields in answers and has no limits of JavaScript', () => {
    for (const node of nodes(document)) {
      expect(node.additionalProperties).not.toBe(false);
      expect(node.maximum).not.toBe(Number.MAX_SAFE_INTEGER);
    }
  });
});

it('says which right an operation needs, and that this machine needs no credentials', () => {
  const { paths, components } = madeFor('1').document as {
    paths: Record<string, Record<string, { security: unknown }>>;
    components: { securitySchemes: unknown };
  };
  expect(paths['/api/entities']!.get!.security).toEqual([{}, { bearer: ['read'] }]);
  expect(paths['/api/entities']!.post!.security).toEqual([{}, { bearer: ['write'] }]);
  expect(paths['/health']!.get!.security).toEqual([]);
  expect(components.securitySchemes).toMatchObject({ bearer: { type: 'http', scheme: 'bearer' } });
});
