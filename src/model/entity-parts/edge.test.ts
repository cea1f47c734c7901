import { describe, expect, it } from 'vitest';
import { parseEntity } from '../entity.ts';
import { decayedWeight, type Edge, relationSchema } from './edge.ts';
import type { EntityId } from './entity-id.ts';

const DAY = 86_400_000;
const edge: Edge = {
  source: 'package:/a' as EntityId,
  target: 'package:/b' as EntityId,
  type: 'COMPATIBLE_WITH',
  weight: 0.82,
  confidence: 1,
  decay: 0.001,
  verifiedAt: 0,
  provenance: 'given',
};

describe('the decay of an edge (TP-9)', () => {
  it.each([
    [0, 0.82],
    [30, 0.796],
    [365, 0.569],
    [730, 0.395],
    [1095, 0.274],
  ])('after %i days leaves %f', (days, left) => {
    expect(decayedWeight(edge, days * DAY)).toBeCloseTo(left, 3);
  });

  it('needs a rate and a day to count from, and never adds', () => {
    expect(decayedWeight({ ...edge, verifiedAt: null }, 999 * DAY)).toBe(0.82);
    expect(decayedWeight({ ...edge, decay: 0 }, 999 * DAY)).toBe(0.82);
    expect(decayedWeight({ ...edge, verifiedAt: 10 * DAY }, 0)).toBe(0.82);
  });
});

describe('the relations of an entity', () => {
  const withRelation = (relation: object) =>
    parseEntity({ type: 'skill', path: '/s', name: 's', relations: [{ type: 'REQUIRES', target: '/t', ...relation }] });

  it('have defaults, and a type in any spelling', () => {
    expect(relationSchema.parse({ type: 'replaces', target: '/t' })).toEqual({
      type: 'REPLACES',
      target: '/t',
      weight: 1,
      confidence: 1,
      decay: 0,
    });
    expect(relationSchema.parse({ type: 'popular with', target: '/t' }).type).toBe('POPULAR_WITH');
  });

  it.each([
    ['an unknown type', { type: 'LOVES' }],
    ['no target', { target: '' }],
    ['a weight that is no number', { weight: Number.NaN }],
    ['an endless weight', { weight: Number.POSITIVE_INFINITY }],
    ['a weight below 0', { weight: -1 }],
    ['a confidence above 1', { confidence: 1.5 }],
    ['a day that is none', { last_verified: 'yesterday' }],
  ])('are refused with %s', (_, relation) => {
    expect(() => withRelation(relation)).toThrow(/'relations\.0\./);
  });
});
