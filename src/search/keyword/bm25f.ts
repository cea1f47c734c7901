import { FIELDS, type Field } from '../../model/entity-parts/unit.ts';
import type { FieldLengths } from './field-lengths.ts';

/**
 * BM25F (Robertson, Zaragoza and Taylor 2004; "Simple BM25 extension to multiple weighted fields"). Counts are weighted
 * and normalized per field, summed, and then saturated. So a term in two fields does not count as two terms.
 *
 *   tf    = sum over fields of  w * count / (1 - b + b * length / average length of that field)
 *   score = sum over terms of   frequency in the query * idf * tf / (k1 + tf)
 *   idf   = ln(1 + (N - n + 0.5) / (n + 0.5))
 *
 * The usual factor k1 + 1 is left out. It does not change the order, and without it no term scores above its idf.
 */
export const K1 = 1.2; // Robertson's usual value; 1 to 1.5 gives the same results on the collections below

/**
 * Field weights. Chosen together with FIELD_B by nDCG@10 on ten public collections of tools, servers and texts
 * (ToolBench, MetaTool, Seal-Tools, BFCL, SciFact, CoSQA and others) and rounded. Tags are short and chosen by hand.
 * Metadata and the texts of a server's tools are long and repeat other fields.
 */
export const FIELD_WEIGHTS: Readonly<Record<Field, number>> = {
  name: 2.5,
  path: 0.7,
  description: 1,
  tags: 2.5,
  metadata: 0.5,
  tools: 0.3,
  parameters: 1.1,
  body: 1,
};

/**
 * Length normalization per field. Long lists of tools and long bodies mention many unrelated words. A tool with many
 * parameters is not a worse match.
 */
export const FIELD_B: Readonly<Record<Field, number>> = {
  name: 0.5,
  path: 0.3,
  description: 0.4,
  tags: 0.5,
  metadata: 0.3,
  tools: 0.7,
  parameters: 0.2,
  body: 0.75,
};

/**
 * Scores are fixed-point numbers. The score of one term in one unit, its impact, is a whole number of 1 / SCORE_UNITS,
 * about 7e-9. A query frequency is a multiple of 1/16. Their sums are exact in any order, so equal units get equal scores
 * and explanations add up exactly. A term scores at most ln(1 + 2^32) < 32, so an impact fits 32 bits.
 */
export const SCORE_UNITS = 2 ** 27;

export function inverseFrequency(units: number, unitsWithTerm: number): number {
  return Math.log(1 + (units - unitsWithTerm + 0.5) / (unitsWithTerm + 0.5));
}

/** The impact of one term in one unit. At least 1 for a match. */
export function toScoreUnits(idf: number, tf: number): number {
  return tf === 0 ? 0 : Math.max(1, Math.round((SCORE_UNITS * idf * tf) / (K1 + tf)));
}

/** An upper bound of `toScoreUnits` for any tf: tf / (k1 + tf) is below 1. */
export function maxScoreUnits(idf: number): number {
  return Math.max(1, Math.ceil(SCORE_UNITS * idf));
}

/** Rows per prefetch: more than the memory can load in parallel, fewer than fit the L1 cache. */
const PREFETCH_ROWS = 64;

/** Never read. Writing to it keeps the compiler from removing the prefetch. */
const prefetchSink = new Uint32Array(1);

/** A posting list: rows and the packed counts of the term in each row. */
interface Postings {
  readonly rows: Uint32Array;
  readonly payload: Uint32Array;
}

/** Computes tf and impacts for one state of the index. */
export class TermFrequency {
  readonly #lengths: Uint32Array;
  readonly #weights: Float64Array;
  /** b / average length per field, so that normalizing takes one multiplication and one addition. */
  readonly #slopes: Float64Array;
  readonly #offsets: Float64Array;

  constructor(lengths: FieldLengths) {
    this.#lengths = lengths.values;
    this.#weights = Float64Array.from(FIELDS, (field) => FIELD_WEIGHTS[field]);
    this.#slopes = Float64Array.from(FIELDS, (field, i) => {
      const average = lengths.average(i);
      return average === 0 ? 0 : FIELD_B[field] / average;
    });
    this.#offsets = Float64Array.from(FIELDS, (field) => 1 - FIELD_B[field]);
  }

  /** The part of tf from one field. */
  inField(row: number, field: number, count: number): number {
    const length = this.#lengths[row * FIELDS.length + field]!;
    return (this.#weights[field]! * count) / (this.#offsets[field]! + this.#slopes[field]! * length);
  }

  /** Writes the impacts of the postings `from` to `to` to the same positions of `values`. Returns the largest. */
  fillScoreUnits(idf: number, postings: Postings, from: number, to: number, values: Uint32Array): number {
    let max = 0;
    for (let at = from; at < to; at += PREFETCH_ROWS) {
      const end = Math.min(to, at + PREFETCH_ROWS);
      this.#prefetchLengths(postings.rows, at, end);
      max = Math.max(max, this.#fillBatch(idf, postings, at, end, values));
    }
    return max;
  }

  /**
   * Loads the lengths of many rows at once, because the memory can serve these scattered reads in parallel. Saves a third
   * of the time of a list.
   */
  #prefetchLengths(rows: Uint32Array, from: number, to: number): void {
    const lengths = this.#lengths;
    let all = 0;
    for (let at = from; at < to; at++) all |= lengths[rows[at]! * FIELDS.length]!;
    prefetchSink[0] = all;
  }

  /** Gives the same impacts as `toScoreUnits`, but faster: storing truncates, so adding 0.5 rounds. */
  #fillBatch(idf: number, postings: Postings, from: number, to: number, values: Uint32Array): number {
    const { rows, payload } = postings;
    const lengths = this.#lengths;
    const weights = this.#weights;
    const offsets = this.#offsets;
    const slopes = this.#slopes;
    const scale = SCORE_UNITS * idf;
    let max = 0;
    for (let at = from; at < to; at++) {
      const row = rows[at]! * FIELDS.length;
      const packed = payload[at]!;
      let tf = 0;
      for (let rest = packed; rest !== 0; ) {
        const field = (31 - Math.clz32(rest & -rest)) >>> 2;
        const count = (packed >>> (4 * field)) & 15;
        tf += (weights[field]! * count) / (offsets[field]! + slopes[field]! * lengths[row + field]!);
        rest &= ~(15 << (4 * field));
      }
      const value = tf === 0 ? 0 : Math.max(1, (scale * tf) / (K1 + tf) + 0.5);
      values[at] = value;
      if (value > max) max = value;
    }
    return Math.floor(max);
  }

  /** The tf of a term with these packed counts in the row. */
  of(row: number, counts: number): number {
    let tf = 0;
    let rest = counts;
    while (rest !== 0) {
      const field = (31 - Math.clz32(rest & -rest)) >>> 2;
      tf += this.inField(row, field, (counts >>> (4 * field)) & 15);
      rest &= ~(15 << (4 * field));
    }
    return tf;
  }
}
