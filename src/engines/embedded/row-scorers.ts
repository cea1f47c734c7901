import { type Explanation, leaf } from '../../model/explanation.ts';
import { BestRows } from '../../search/best-rows.ts';
import type { Bitset } from '../../search/filter/bitset.ts';
import type { Scorer } from '../../search/retrieval/retrieval.ts';
import type { RowScores } from '../../search/row-scores.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import type { RowIndex } from './row-index.ts';

/** One way to score rows by keyword, for one query. */
export interface RowScorer {
  /** The best `limit` eligible rows that match at all. */
  search(eligible: Bitset, limit: number): RowScores;
  /** The scores that `search` gives these rows, in the order asked; 0 where nothing matches. */
  scoreRows(rows: readonly number[]): readonly number[];
  explain(row: number): Explanation;
}

export function rowScorer({ keyword, boost, table }: RowIndex, text: string, scorer: Scorer): RowScorer {
  const { compareRows } = table;
  switch (scorer) {
    case 'bm25f':
      return {
        search: (eligible, limit) => keyword.search(text, { eligible, limit, compareRows }),
        scoreRows: (rows) => keyword.scoreRows(text, rows),
        explain: (row) => keyword.explain(text, row),
      };
    case 'boost': {
      const tokens = boostTokens(text);
      return {
        search: (eligible, limit) => boost.search(tokens, { eligible, limit, compareRows }),
        scoreRows: (rows) => boost.scoreRows(tokens, rows),
        explain: (row) => boost.explain(tokens, row),
      };
    }
    case 'coverage':
      return {
        search: (eligible, limit) => keyword.searchCoverage(text, { eligible, limit, compareRows }),
        scoreRows: (rows) => rows.map((row) => keyword.explainCoverage(text, row).value),
        explain: (row) => keyword.explainCoverage(text, row),
      };
    case 'constant':
      return {
        search(eligible, limit) {
          const best = new BestRows();
          best.start(limit, compareRows);
          for (const row of eligible) best.add(row, 1);
          return best.take();
        },
        scoreRows: (rows) => rows.map(() => 1),
        explain: () => leaf('constant', 1),
      };
  }
}
