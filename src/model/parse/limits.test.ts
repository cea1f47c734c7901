import { describe, expect, it } from 'vitest';
import { parseEntity } from '../entity.ts';
import type { DowserError } from '../errors/errors.ts';
import { LIMITS, type LimitName, limitWarnings } from './limits.ts';

const fields = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};
const server = (more: object) => ({ type: 'mcp_server', path: '/x', name: 'X', ...more });
const refusal = (entity: object): DowserError => {
  try {
    parseEntity(entity);
  } catch (thrown) {
    return thrown as DowserError;
  }
  throw new Error('The entity was accepted.');
};

const CASES: readonly [limit: LimitName, field: string | undefined, atLimit: object, beyond: object][] = [
  ['json_fields', 'metadata', { metadata: fields(2000) }, { metadata: fields(2001) }],
  ['json_fields', 'metadata.a', { metadata: { a: fields(2000) } }, { metadata: { a: fields(200_000) } }],
  ['json_fields', undefined, fields(1997), fields(300_000)],
  ['json_items', 'metadata.a', { metadata: { a: Array(20_000).fill(1) } }, { metadata: { a: Array(20_001).fill(1) } }],
  ['entity_depth', 'metadata.a.0', { metadata: { a: nested(98) } }, { metadata: { a: nested(99) } }],
  [
    'entity_values',
    'tools.12.inputSchema.a',
    { tools: Array(12).fill({ name: 'a', inputSchema: { a: Array(20_000).fill(1) } }) },
    { tools: Array(13).fill({ name: 'a', inputSchema: { a: Array(20_000).fill(1) } }) },
  ],
  [
    'object_chars',
    'tools.0.inputSchema',
    { tools: [{ name: 'a', inputSchema: { a: 'x'.repeat(249_000) } }] },
    { tools: [{ name: 'a', inputSchema: { a: 'x'.repeat(250_000) } }] },
  ],
  [
    'object_chars',
    'metadata',
    { metadata: fields(100, 'y'.repeat(2000)) },
    { metadata: fields(100, 'y'.repeat(2600)) },
  ],
];

describe('an entity', () => {
  it.each(CASES)('beyond %s at %s is refused with the field and the limit', (limit, field, atLimit, beyond) => {
    expect(parseEntity(server(atLimit)).entity.path).toBe('/x');
    const error = refusal(server(beyond));
    expect([error.code, error.field, error.details?.max]).toEqual(['INVALID_REQUEST', field, LIMITS[limit].max]);
    expect(error.message).toContain(`(${limit})`);
    expect(error.message.length).toBeLessThan(300);
  });
});

describe('warnings', () => {
  it('are cut, and the last one counts the rest', () => {
    const all = Array.from({ length: 250 }, (_, i) => `w${i}`);
    expect(limitWarnings(all.slice(0, 100))).toHaveLength(100);
    expect(limitWarnings(all)).toEqual([...all.slice(0, 99), 'Other warnings: 151.']);
  });
});
