import { describe, expect, it } from 'vitest';
import type { LabeledQuery } from '../../src/eval/labeled-set.ts';
import { parseEntity } from '../../src/model/entity.ts';
import { smallCatalogs } from './small-catalogs.ts';

const entities = Array.from(
  { length: 50 },
  (_, n) => parseEntity({ type: 'tool', path: `/t${n}`, name: `t${n}` }).entity,
);
const query = (n: number, ...answers: readonly number[]): LabeledQuery => ({
  id: String(n),
  text: `query ${n}`,
  relevant: new Map(answers.map((answer) => [`/t${answer}`, 1])),
});
const queries = Array.from({ length: 30 }, (_, n) => query(n, n, 49 - n));

describe('smallCatalogs', () => {
  it('has the answers of all its queries, and this many entities', () => {
    const samples = smallCatalogs(entities, queries, 8);
    expect(samples).toHaveLength(6);
    for (const sample of samples) {
      const paths = sample.entities.map(({ path }) => path);
      expect(new Set(paths).size).toBe(8);
      expect(sample.queries).toHaveLength(2);
      for (const { relevant } of sample.queries) expect(paths).toEqual(expect.arrayContaining([...relevant.keys()]));
    }
    expect(new Set(samples.flatMap((sample) => sample.queries)).size).toBe(12);
  });

  it('has the whole of a smaller catalog', () => {
    for (const sample of smallCatalogs(entities, queries, 100)) expect(sample.entities).toHaveLength(50);
  });

  it('leaves out queries without answers or with too many', () => {
    const [sample] = smallCatalogs(entities, [query(0), query(1, 99), query(2, 1, 2, 3, 4, 5)], 4);
    expect(sample).toMatchObject({ queries: [] });
    expect(sample!.entities).toHaveLength(4);
  });
});
