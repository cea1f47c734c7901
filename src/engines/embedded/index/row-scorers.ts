import { type Explanation, leaf, sum } from '../../../model/answer/explanation.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import type { KeywordReader } from '../../../search/keyword/keyword-reader.ts';
import { type Scorer, withPart } from '../../../search/retrieval/retrieval.ts';
import { BestRows } from '../../../search/rows/best-rows.ts';
import type { CompareRows, RowScores } from '../../../search/rows/row-scores.ts';
import { boostTokens } from '../../../search/text/boost-tokens.ts';
import type { RowIndex } from './row-index.ts';

/** One way to score rows by keyword, for one query. */
export interface RowScorer {
  /** The best `limit` eligible rows that match at all. */
  search(eligible: Bitset, limit: number): RowScores;
  /** The scores that `search` gives these rows, in the order asked; 0 where nothing matches. */
  scoreRows(rows: readonly number[]): readonly number[];
  explain(row: number): Explanation;
}

/** What is scored: the index, and `keyword` as the caller may read it. */
export interface ScoredIndex extends Pick<RowIndex, 'boost' | 'table'> {
  readonly keyword: KeywordReader;
}

/** Parts count for `bm25f` only. */
export function rowScorer(index: ScoredIndex, text: string, parts: readonly string[], scorer: Scorer): RowScorer {
  const whole = scorerOf(index, text, scorer);
  if (parts.length === 0 || scorer !== 'bm25f') return whole;
  const byPart = parts.map((part) => scorerOf(index, part, scorer));
  const scorers = [whole, ...byPart];
  const scoreRows = (rows: readonly number[]) => {
    const scores = byPart.map((part) => part.scoreRows(rows));
    return whole.scoreRows(rows).map((own, i) => withPart.keyword(own, Math.max(...scores.map((part) => part[i]!))));
  };
  return {
    search: (eligible, limit) =>
      bestOfLists(
        scorers.map((one) => one.search(eligible, limit)),
        limit,
        scoreRows,
        index.table.compareRows,
      ),
    scoreRows,
    explain(row) {
      const best = byPart.map((part) => part.explain(row)).reduce((a, b) => (b.value > a.value ? b : a));
      return sum('bm25f', [
        ...(whole.explain(row).parts ?? []),
        ...(best.value > 0 ? [{ ...best, label: 'best part' }] : []),
      ]);
    },
  };
}

/** The first `limit` rows of all the lists, by the scores that `scoreRows` gives them. Rows without a score are left out. */
export function bestOfLists(
  lists: readonly RowScores[],
  limit: number,
  scoreRows: (rows: readonly number[]) => readonly (number | null)[],
  compareRows: CompareRows,
): RowScores {
  const rows = [...new Set(lists.flatMap((list) => list.rows))];
  const scores = scoreRows(rows);
  const best = new BestRows();
  best.start(limit, compareRows);
  for (let i = 0; i < rows.length; i++) if (scores[i] !== null) best.add(rows[i]!, scores[i]!);
  return best.take();
}

function scorerOf({ keyword, boost, table }: ScoredIndex, text: string, scorer: Scorer): RowScorer {
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
    case 'boost-each': {
      const tokens = boostTokens(text);
      const boosts = boost.boostsForEach(tokens);
      return {
        search(eligible, limit) {
          const best = new BestRows();
          best.start(limit, compareRows);
          for (const [row, score] of boosts) if (eligible.has(row)) best.add(row, score);
          return best.take();
        },
        scoreRows: (rows) => rows.map((row) => boosts.get(row) ?? 0),
        explain: (row) => boost.explainEach(tokens, row),
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
