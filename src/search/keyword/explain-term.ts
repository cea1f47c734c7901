import { type Explanation, leaf, sum } from '../../model/answer/explanation.ts';
import { FIELDS } from '../../model/entity-parts/unit.ts';
import { countOf } from '../text/analyzed-unit.ts';
import { inverseFrequency, K1, SCORE_UNITS, type TermFrequency } from './bm25f.ts';
import type { FieldLengths } from './field-lengths.ts';

export interface TermMatch {
  /** The term in the query. */
  readonly queryTerm: string;
  /** The term in the unit: the same, or a fuzzy match. */
  readonly term: string;
  readonly factor: number;
  readonly frequency: number;
  /** In score units, without the query frequency. */
  readonly impact: number;
  readonly unitsWithTerm: number;
  readonly size: number;
  readonly row: number;
  readonly counts: number;
}

/** Explains the score of one term. The score is split over the fields in proportion to their part of tf. */
export function explainTerm(match: TermMatch, tf: TermFrequency, lengths: FieldLengths): Explanation {
  const total = match.frequency * match.impact;
  const tfTotal = tf.of(match.row, match.counts);
  const fields: Explanation[] = [];
  let tfSoFar = 0;
  let assigned = 0;
  FIELDS.forEach((name, field) => {
    const count = countOf(match.counts, field);
    const share = count === 0 ? 0 : tf.inField(match.row, field, count);
    if (share === 0) return;
    // Round the running total, not each share, so that the shares add up exactly.
    tfSoFar += share;
    const runningTotal = Math.round((16 * total * tfSoFar) / tfTotal) / 16;
    const length = lengths.of(match.row, field);
    fields.push(
      leaf(name, (runningTotal - assigned) / SCORE_UNITS, { count, length, average_length: lengths.average(field) }),
    );
    assigned = runningTotal;
  });
  const isExact = match.queryTerm === match.term;
  return sum(isExact ? match.term : `${match.queryTerm} → ${match.term}`, fields, {
    idf: inverseFrequency(match.size, match.unitsWithTerm),
    units_with_term: match.unitsWithTerm,
    units: match.size,
    tf: tfTotal,
    k1: K1,
    query_frequency: match.frequency,
    ...(isExact ? {} : { factor: match.factor }),
  });
}
