import { FIELDS, type Field } from '../../model/unit.ts';
import type { FieldLengths } from './field-lengths.ts';

/**
 * BM25F (Robertson, Zaragoza and Taylor 2004; "Simple BM25 extension to multiple weighted fields"): counts are weighted
 * and normalized by length field by field, added up, and only then saturated, so that a term in two fields of a unit
 * does not count as two terms.
 *
 *   tf    = sum over fields of  w * count / (1 - b + b * length / average length of that field)
 *   score = sum over terms of   frequency in the query * idf * tf / (k1 + tf)
 *   idf   = ln(1 + (N - n + 0.5) / (n + 0.5))
 *
 * The usual factor k1 + 1 is left out: it changes no order, and without it a term can never be worth more than its idf.
 */
export const K1 = 1.2; // Robertson's usual value; from 1 to 1.5 makes no difference on the collections below

/**
 * How much each field counts. Chosen, with FIELD_B, by nDCG@10 over ten public collections of tools, servers and texts
 * (ToolBench, MetaTool, Seal-Tools, BFCL, SciFact, CoSQA and others), rounded where the optimum is flat. Tags are few
 * and chosen; metadata and the texts of a server's tools are many and repeat what other fields say.
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
 * How much a field's length is held against it. Long lists of tools and long bodies mention much in passing; a tool with
 * many parameters is no worse for it.
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
 * What a term is worth in a unit is a whole number of 1 / SCORE_UNITS, about 7e-9, and a query frequency a multiple of
 * 1/16. Such numbers add up exactly in any order, so a score does not depend on the order in which terms are looked at,
 * equal units get equal scores, and explanations add up to the last digit. A term is worth at most ln(1 + 2^32) < 32, so
 * its units fit 32 bits.
 */
export const SCORE_UNITS = 2 ** 27;

export type FieldWeights = Readonly<Partial<Record<Field, number>>>;

export function inverseFrequency(units: number, unitsWithTerm: number): number {
  return Math.log(1 + (units - unitsWithTerm + 0.5) / (unitsWithTerm + 0.5));
}

/** Score units of one term in one unit. Whatever matches at all is worth at least one. */
export function toScoreUnits(idf: number, tf: number): number {
  return tf === 0 ? 0 : Math.max(1, Math.round((SCORE_UNITS * idf * tf) / (K1 + tf)));
}

/** What `toScoreUnits` never exceeds, whatever the tf: its last factor stays below 1. */
export function mostScoreUnits(idf: number): number {
  return Math.max(1, Math.ceil(SCORE_UNITS * idf));
}

/** How many lengths are fetched ahead: more than memory can fetch at a time, fewer than the fastest memory holds. */
const AHEAD = 64;

/** Never read; writing to it keeps the fetching from being optimized away. */
const fetched = new Uint32Array(1);

/** Rows and the packed counts of a term in them. */
interface Postings {
  readonly rows: Uint32Array;
  readonly payload: Uint32Array;
}

/** The formula with its constants filled in for one state of the index and one set of weights. */
export class TermFrequency {
  readonly #lengths: Uint32Array;
  readonly #weights: Float64Array;
  /** Per field b / average length, so that a norm is one multiplication and one addition. */
  readonly #slopes: Float64Array;
  readonly #offsets: Float64Array;

  constructor(lengths: FieldLengths, weights: FieldWeights = {}) {
    this.#lengths = lengths.values;
    this.#weights = Float64Array.from(FIELDS, (field) => weights[field] ?? FIELD_WEIGHTS[field]);
    this.#slopes = Float64Array.from(FIELDS, (field, i) => {
      const average = lengths.average(i);
      return average === 0 ? 0 : FIELD_B[field] / average;
    });
    this.#offsets = Float64Array.from(FIELDS, (field) => 1 - FIELD_B[field]);
  }

  /** The share of one field in tf. */
  inField(row: number, field: number, count: number): number {
    const length = this.#lengths[row * FIELDS.length + field]!;
    return (this.#weights[field]! * count) / (this.#offsets[field]! + this.#slopes[field]! * length);
  }

  /** Score units of each posting from `from` to `to`, written to the same places of `values`; gives the largest. */
  fillScoreUnits(idf: number, postings: Postings, from: number, to: number, values: Uint32Array): number {
    let max = 0;
    for (let at = from; at < to; at += AHEAD) {
      const end = Math.min(to, at + AHEAD);
      this.#fetchLengths(postings.rows, at, end);
      max = Math.max(max, this.#fillNext(idf, postings, at, end, values));
    }
    return max;
  }

  /**
   * Lengths are all over memory. Asked for with nothing in between, they are on their way at the same time, and at hand
   * when the sums need them: that takes a third off the time of a list.
   */
  #fetchLengths(rows: Uint32Array, from: number, to: number): void {
    const lengths = this.#lengths;
    let all = 0;
    for (let at = from; at < to; at++) all |= lengths[rows[at]! * FIELDS.length]!;
    fetched[0] = all;
  }

  /**
   * Equal to `toScoreUnits` one by one, without its branches: storing cuts the fraction off, so adding a half rounds.
   */
  #fillNext(idf: number, postings: Postings, from: number, to: number, values: Uint32Array): number {
    const { rows, payload } = postings;
    const lengths = this.#lengths;
    const weights = this.#weights;
    const offsets = this.#offsets;
    const slopes = this.#slopes;
    const most = SCORE_UNITS * idf;
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
      const value = tf === 0 ? 0 : Math.max(1, (most * tf) / (K1 + tf) + 0.5);
      values[at] = value;
      if (value > max) max = value;
    }
    return Math.floor(max);
  }

  /** tf of a term with these packed counts in this row. */
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
