import { type LabeledQuery, readLabeledSet } from '../../src/eval/labeled-set.ts';
import type { SetFolder } from './set-folders.ts';

/** The number of queries of each set for its own catalog, and for each other catalog. */
export const OWN_QUERIES = 200;
export const FOREIGN_QUERIES = 60;

/** The queries of each set, and which of them are asked in which catalog. */
export class PairedQueries {
  readonly #bySet: ReadonlyMap<string, readonly LabeledQuery[]>;

  constructor(bySet: ReadonlyMap<string, readonly LabeledQuery[]>) {
    this.#bySet = bySet;
  }

  /** Every text, for an embedder to prepare. */
  get texts(): readonly string[] {
    return [...this.#bySet.values()].flat().map(({ text }) => text);
  }

  /** The queries of a set. */
  own(set: string): readonly LabeledQuery[] {
    return this.#bySet.get(set)!;
  }

  /** The queries for a catalog by set: all of its own, some of each other. */
  for(corpus: string): readonly (readonly [set: string, queries: readonly LabeledQuery[]])[] {
    return [...this.#bySet].map(([set, all]) => {
      const step = set === corpus ? 1 : Math.max(1, Math.ceil(all.length / FOREIGN_QUERIES));
      return [set, all.filter((_, i) => i % step === 0)];
    });
  }
}

export async function readPairedQueries(
  sets: readonly SetFolder[],
  most: (usual: number) => number,
): Promise<PairedQueries> {
  const bySet = new Map<string, readonly LabeledQuery[]>();
  for (const { name, dir } of sets) {
    bySet.set(name, (await readLabeledSet(dir, { split: 'dev', maxQueries: most(OWN_QUERIES) })).queries);
  }
  return new PairedQueries(bySet);
}
