import { describe, expect, it } from 'vitest';
import { unitsOf } from '../../src/model/entity-types/table.ts';
import { generateCorpus } from './corpus.ts';
import { exactNeighbors, recallOf } from './exact-neighbors.ts';
import { DIMENSIONS } from './vector-space.ts';

const settings = { units: 600, queries: 40, seed: 7 };
const corpus = generateCorpus(settings);

const vectorOf = (row: number) => corpus.vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

describe('the corpus', () => {
  it('is the same for the same seed and another for another', () => {
    const again = generateCorpus(settings);
    expect(again.entities).toEqual(corpus.entities);
    expect(Buffer.from(again.vectors.buffer).equals(Buffer.from(corpus.vectors.buffer))).toBe(true);
    expect(again.queries).toEqual(corpus.queries);
    expect(generateCorpus({ ...settings, seed: 8 }).queries[0]).not.toEqual(corpus.queries[0]);
  });

  it('has exactly as many units as asked for, also when the last server must do with fewer tools', () => {
    for (let units = 200; units < 206; units++) {
      expect(generateCorpus({ units, queries: 1, seed: 3 }).units).toHaveLength(units);
    }
  });

  it('has units with ids of their own', () => {
    expect(new Set(corpus.units.map((unit) => unit.id)).size).toBe(settings.units);
  });

  it('gives the peers the units that Dowser indexes, in the order of the vectors', () => {
    expect(corpus.units.map((unit) => unit.id)).toEqual(corpus.entities.flatMap(unitsOf).map((unit) => unit.id));
  });

  it('mixes servers, tools and documents', () => {
    const types = new Set(corpus.entities.map((entity) => entity.type));
    expect([...types].sort()).toEqual(['document', 'mcp_server', 'tool']);
  });

  it('hides about one unit in ten, with all units of its entity, for every reason and of every type', () => {
    const { entities, units } = generateCorpus({ units: 3000, queries: 1, seed: 7 });
    const share = units.filter((unit) => !unit.live).length / units.length;
    expect(share).toBeGreaterThan(0.07);
    expect(share).toBeLessThan(0.13);
    const hidden = entities.filter(({ status, is_enabled }) => status !== 'active' || !is_enabled);
    const expected = new Set(hidden.flatMap(unitsOf).map((unit) => unit.id as string));
    expect(new Set(units.filter((unit) => !unit.live).map((unit) => unit.id))).toEqual(expected);
    const reasons = hidden.map(({ status, is_enabled }) => (is_enabled ? status : 'disabled'));
    expect([...new Set(reasons)].sort()).toEqual(['deprecated', 'disabled', 'draft']);
    expect(new Set(hidden.map((entity) => entity.type)).size).toBe(3);
  });

  it('has vectors of length 1', () => {
    for (let row = 0; row < settings.units; row += 50) expect(dot(vectorOf(row), vectorOf(row))).toBeCloseTo(1, 4);
    for (const { vector } of corpus.queries) expect(dot(vector, vector)).toBeCloseTo(1, 4);
  });

  it('asks no question twice, each of two to six words', () => {
    expect(new Set(corpus.queries.map((query) => query.text)).size).toBe(settings.queries);
    for (const { text } of corpus.queries) expect(text.split(' ').length).toSatisfy((n: number) => n >= 2 && n <= 6);
  });

  it('has neighbors to find: the nearest units stand out from the rest', () => {
    const { vector } = corpus.queries[0]!;
    const cosines = corpus.units.map((_, row) => dot(vector, vectorOf(row))).sort((a, b) => b - a);
    expect(cosines[0]).toBeGreaterThan(0.8);
    expect(cosines[9]! - cosines[300]!).toBeGreaterThan(0.2);
  });
});

describe('exactNeighbors', () => {
  it('agrees with sorting every live unit by its cosine', () => {
    const [query] = corpus.queries;
    const order = corpus.units
      .map((unit, row) => ({ id: unit.id, live: unit.live, cosine: dot(query!.vector, vectorOf(row)) }))
      .filter((entry) => entry.live)
      .sort((a, b) => b.cosine - a.cosine);
    const { ids, candidateCosine } = exactNeighbors(corpus, [query!], { nearest: 10, candidates: 100 });
    expect(ids).toEqual([order.slice(0, 10).map((entry) => entry.id)]);
    expect(candidateCosine).toBeCloseTo(order[99]!.cosine, 5);
  });
});

describe('recallOf', () => {
  it('counts what was found among as many first results', () => {
    expect(recallOf([['a', 'b', 'x', 'c']], [['a', 'b', 'c']])).toBeCloseTo(2 / 3);
  });

  it('counts a query without an answer as missed', () => {
    expect(recallOf([['a']], [['a'], ['b']])).toBe(0.5);
  });
});
