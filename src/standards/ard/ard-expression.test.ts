import { describe, expect, it } from 'vitest';
import { parseEntity } from '../../model/entity.ts';
import { toArdSummary } from './ard-entry.ts';
import { parseExpression, parseOrder } from './ard-expression.ts';
import type { Discoverable } from './ard-types.ts';

const DOMAIN = 'tools.example.com';
const CARD = 'application/mcp-server-card+json';
const clock = { type: 'mcp_server', path: '/clock', name: 'World Clock' };
const summary = toArdSummary({
  entity: parseEntity(clock).entity as Discoverable,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
});

describe('parseExpression', () => {
  it.each([
    ['', true],
    [`type = '${CARD}'`, true],
    [`type = "text/html, ${CARD}"`, true],
    ['type = text/html', false],
    ["displayName = 'world'", true],
    ["displayName = 'moon'", false],
    [`publisherId = '${DOMAIN}' AND displayName = clock`, true],
    ["createdAfter > '2025-12-31'", true],
    ["createdAfter > '2026-01-01T00:00:00.000Z'", false],
    ["updatedAfter > '2026-02-01' and type = 'text/html'", false],
  ])('takes %j as %s', (text, expected) => {
    expect(parseExpression(text)(summary, DOMAIN)).toBe(expected);
  });

  it.each([
    'type',
    "color = 'red'",
    "type = 'a' OR type = 'b'",
    "type = 'a' AND",
    "type = 'a' displayName = 'b'",
    "updatedAfter > 'soon'",
    "type = 'unclosed",
    '= x',
  ])('refuses %j', (text) => {
    expect(() => parseExpression(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', field: 'filter' }));
  });
});

describe('parseOrder', () => {
  it.each([
    ['', 'key', false],
    ['identifier', 'key', false],
    ['name', 'displayName', false],
    ['updatedAt DESC', 'updatedAt', true],
    ['createdAt asc', 'createdAt', false],
  ])('reads %j', (text, by, descending) => {
    expect(parseOrder(text)).toEqual({ by, descending });
  });

  it.each(['relevance', 'updatedAt sideways', 'a, b'])('refuses %j', (text) => {
    expect(() => parseOrder(text)).toThrow(expect.objectContaining({ field: 'orderBy' }));
  });
});
