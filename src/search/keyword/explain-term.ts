import { type Explanation, leaf, sum } from '../../model/explanation.ts';
import { FIELDS } from '../../model/unit.ts';
import { countOf } from '../text/analyzed-unit.ts';
import { inverseFrequency, K1, SCORE_UNITS, type TermFrequency } from './bm25f.ts';
import type { FieldLengths } from './field-lengths.ts';

export interface TermMatch {
  /** As the query has it. */
  readonly asked: string;
  /** As the unit has it. */
  readonly term: string;
  readonly factor: number;
  readonly frequency: number;
  /** Score units, before the frequency. */
  readonly units: number;
  readonly unitsWithTerm: number;
  readonly size: number;
  readonly row: number;
  readonly counts: number;
}

/** One term's share of a score, split over the fields in proportion to their part of tf. */
export function explainTerm(match: TermMatch, tf: TermFrequency, lengths: FieldLengths): Explanation {
  const total = match.frequency * match.units;
  const wholeTf = tf.of(match.row, match.counts);
  const fields: Explanation[] = [];
  let tfSoFar = 0;
  let given = 0;
  FIELDS.forEach((name, field) => {
    const count = countOf(match.counts, field);
    const share = count === 0 ? 0 : tf.inField(match.row, field, count);
    if (share === 0) return;
    // Rounding the running total instead of each share keeps the shares exact numbers that add up to the total.
    tfSoFar += share;
    const upTo = Math.round((16 * total * tfSoFar) / wholeTf) / 16;
    const length = lengths.of(match.row, field);
    fields.push(leaf(name, (upTo - given) / SCORE_UNITS, { count, length, average_length: lengths.average(field) }));
    given = upTo;
  });
  const isItself = match.asked === match.term;
  return sum(isItself ? match.term : `${match.asked} → ${match.term}`, fields, {
    idf: inverseFrequency(match.size, match.unitsWithTerm),
    units_with_term: match.unitsWithTerm,
    units: match.size,
    tf: wholeTf,
    k1: K1,
    query_frequency: match.frequency,
    ...(isItself ? {} : { factor: match.factor }),
  });
}
