import { DowserError } from '../../model/errors.ts';
import { type Explanation, leaf, sum } from '../../model/explanation.ts';
import { FIELDS } from '../../model/unit.ts';
import type { Bitset } from '../filter/bitset.ts';
import type { CompareRows, RowScores } from '../row-scores.ts';
import { type AnalyzedUnit, countOf } from '../text/analyzed-unit.ts';
import { analyzeQuery, type QueryTerm } from '../text/analyzer.ts';
import { type FieldWeights, inverseFrequency, SCORE_UNITS, TermFrequency, toScoreUnits } from './bm25f.ts';
import { explainTerm } from './explain-term.ts';
import type { FieldLengths } from './field-lengths.ts';
import type { IndexParts } from './index-parts.ts';
import type { IndexedTerms, Match, QueryPart } from './indexed-terms.ts';
import { emptyState, fromIndexParts, type KeywordState, toIndexParts } from './keyword-state.ts';
import type { PostingPool } from './posting-pool.ts';
import { RowSums, type Stream } from './row-sums.ts';
import { type DiscountedImpacts, discounted, mergeStreams } from './stream-merge.ts';
import { type Impacts, impactsOf, TermImpacts } from './term-impacts.ts';

export interface ScoreOptions {
  /** A field left out keeps its default weight, 0 switches it off. */
  readonly fieldWeights?: FieldWeights | undefined;
}

export interface KeywordSearchOptions extends ScoreOptions {
  /** Rows that may be returned, applied before the limit; null for all. */
  readonly eligible: Bitset | null;
  readonly limit: number;
  /** Orders rows of equal score. */
  readonly compareRows: CompareRows;
}

/**
 * The BM25F index over analyzed units (the formula is in bm25f.ts), in memory. Rows are small whole numbers that the
 * caller hands out and may use again after a removal.
 *
 * A query term that no unit has is answered by its neighbors (see `TermNeighbors`), each at a discount; a unit gets
 * the best of them, not their sum. After any writes, answers are those of an index built fresh from what is in it.
 */
export class KeywordIndex {
  readonly #terms: IndexedTerms;
  readonly #pool: PostingPool<Uint32Array>;
  readonly #lengths: FieldLengths;
  readonly #rows: Bitset;
  #size: number;
  readonly #impacts: TermImpacts;
  readonly #sums = new RowSums();
  /** For the default weights; made again after a write. */
  #termFrequency: TermFrequency | undefined;

  /** Empty. The argument is for `fromParts`. */
  constructor(state: KeywordState = emptyState()) {
    this.#terms = state.terms;
    this.#pool = state.pool;
    this.#lengths = state.lengths;
    this.#rows = state.rows;
    this.#size = state.size;
    this.#impacts = new TermImpacts(state.pool);
  }

  /** How many units are in the index. */
  get size(): number {
    return this.#size;
  }

  /** The row must be free. */
  add(row: number, unit: AnalyzedUnit): void {
    if (this.#rows.has(row)) throw outOfStep(`row ${row} is taken`);
    unit.terms.forEach((term, i) => {
      this.#pool.insert(this.#terms.listFor(term), row, unit.counts[i]!);
    });
    this.#rows.add(row);
    this.#lengths.set(row, unit.lengths);
    this.#size++;
    this.#changed();
  }

  /** `unit` is what was added under this row: the index keeps no copy of it to find its postings by. */
  remove(row: number, unit: AnalyzedUnit): void {
    if (!this.#rows.has(row)) throw outOfStep(`row ${row} is free`);
    for (const term of unit.terms) {
      const list = this.#terms.listOf(term);
      if (list === undefined || !this.#pool.remove(list, row)) throw outOfStep(`row ${row} has no term '${term}'`);
      if (this.#pool.length(list) === 0) this.#terms.drop(term, list);
    }
    this.#rows.delete(row);
    this.#lengths.clear(row);
    this.#size--;
    this.#changed();
  }

  /** The best `limit` eligible rows that match the query at all. */
  search(query: string, options: KeywordSearchOptions): RowScores {
    const rowCount = this.#lengths.rowCount;
    const weights = customWeights(options);
    const streams: Stream[] = [];
    for (const part of this.#terms.partsOf(query)) streams.push(this.#streamOf(part, weights));
    const { rows, scores } = this.#sums.best(streams, rowCount, options);
    return { rows, scores: divided(scores, SCORE_UNITS) };
  }

  /** The best rows by the share of the query's terms they have; terms that no unit has count as not had. */
  searchCoverage(query: string, options: Omit<KeywordSearchOptions, 'fieldWeights'>): RowScores {
    const terms = analyzeQuery(query);
    const streams = terms.flatMap(({ term, frequency }): Stream[] => {
      const list = this.#terms.listOf(term);
      if (list === undefined) return [];
      const length = this.#pool.length(list);
      const values = new Uint32Array(length).fill(1);
      const rows = { rows: this.#pool.rows, rowsFrom: this.#pool.start(list) };
      return [{ ...rows, values, valuesFrom: 0, length, times: frequency, max: 1, pending: null }];
    });
    const all = totalFrequency(terms);
    const { rows, scores } = this.#sums.best(streams, this.#lengths.rowCount, options);
    return { rows, scores: divided(scores, all) };
  }

  explainCoverage(query: string, row: number): Explanation {
    const terms = analyzeQuery(query);
    const all = totalFrequency(terms);
    const had = terms.filter(({ term }) => this.#has(term, row));
    return sum(
      'coverage',
      had.map(({ term, frequency }) => leaf(term, frequency / all)),
    );
  }

  /** What a row could score at most, and the share of the query's terms that some row has. */
  ceiling(query: string): { readonly ceiling: number; readonly known: number; readonly terms: number } {
    let ceiling = 0;
    let known = 0;
    let all = 0;
    const parts = this.#terms.partsOf(query);
    for (const { term, frequency } of parts) {
      const units = this.#terms.unitsWith(term);
      ceiling += frequency * inverseFrequency(this.#size, units);
      all += frequency;
      if (units > 0) known += frequency;
    }
    return { ceiling, known: all === 0 ? 0 : known / all, terms: parts.length };
  }

  /** The rows that have all of these terms, rising; null where even the rarest of them is in more than `most` rows. */
  rowsWith(terms: readonly string[], most = Number.POSITIVE_INFINITY): readonly number[] | null {
    const pool = this.#pool;
    const lists: number[] = [];
    let rarest = -1;
    for (const term of terms) {
      const list = this.#terms.listOf(term);
      if (list === undefined) return [];
      lists.push(list);
      if (rarest < 0 || pool.length(list) < pool.length(rarest)) rarest = list;
    }
    const found: number[] = [];
    if (rarest < 0) return found;
    if (pool.length(rarest) > most) return null;
    const start = pool.start(rarest);
    for (let at = start; at < start + pool.length(rarest); at++) {
      const row = pool.rows[at]!;
      if (lists.every((list) => list === rarest || pool.find(list, row) >= 0)) found.push(row);
    }
    return found;
  }

  /** The fields in which the row has terms of the query, as bits in the order of FIELDS. */
  matchedFields(query: string, row: number): number {
    let fields = 0;
    for (const part of this.#terms.partsOf(query)) {
      const counts = this.#countsOf(part, row);
      if (counts === 0) continue;
      for (let field = 0; field < FIELDS.length; field++) if (countOf(counts, field) > 0) fields |= 1 << field;
    }
    return fields;
  }

  /** The scores that `search` gives these rows, in the order asked; 0 where nothing matches. */
  scoreRows(query: string, rows: readonly number[], options: ScoreOptions = {}): number[] {
    const weights = customWeights(options);
    const tf = this.#frequencyFor(weights);
    const scores = new Array<number>(rows.length).fill(0);
    for (const { frequency, matches } of this.#terms.partsOf(query)) {
      const units = new Array<number>(rows.length).fill(0);
      for (const match of matches) this.#raiseUnits(units, rows, match, tf, weights === undefined);
      for (let i = 0; i < rows.length; i++) scores[i] = scores[i]! + frequency * units[i]!;
    }
    for (let i = 0; i < rows.length; i++) scores[i] = scores[i]! / SCORE_UNITS;
    return scores;
  }

  /** How the row's score comes about, term by term and field by field. Adds up exactly to it. */
  explain(query: string, row: number, options: ScoreOptions = {}): Explanation {
    const tf = this.#frequencyFor(customWeights(options));
    const terms: Explanation[] = [];
    for (const part of this.#terms.partsOf(query)) {
      const { match, units, counts } = this.#bestMatch(part, row, tf);
      if (match === undefined || units === 0) continue;
      terms.push(
        explainTerm(
          {
            asked: part.term,
            term: match.term,
            factor: match.factor,
            frequency: part.frequency,
            units,
            unitsWithTerm: this.#pool.length(match.list),
            size: this.#size,
            row,
            counts,
          },
          tf,
          this.#lengths,
        ),
      );
    }
    return sum('bm25f', terms);
  }

  /** A snapshot for disk. The arrays are copies: the index can go on changing. */
  toParts(): IndexParts {
    return toIndexParts({
      terms: this.#terms,
      pool: this.#pool,
      lengths: this.#lengths,
      rows: this.#rows,
      size: this.#size,
    });
  }

  /** Takes the arrays over. Throws STORE_CORRUPT when they do not fit together or were made by another analyzer. */
  static fromParts(parts: IndexParts): KeywordIndex {
    return new KeywordIndex(fromIndexParts(parts));
  }

  #changed(): void {
    this.#terms.changed();
    this.#impacts.invalidate();
    this.#termFrequency = undefined;
  }

  #has(term: string, row: number): boolean {
    const list = this.#terms.listOf(term);
    return list !== undefined && this.#pool.find(list, row) >= 0;
  }

  #frequencyFor(weights: FieldWeights | undefined): TermFrequency {
    if (weights !== undefined) return new TermFrequency(this.#lengths, weights);
    this.#termFrequency ??= new TermFrequency(this.#lengths);
    return this.#termFrequency;
  }

  #streamOf(part: QueryPart, weights: FieldWeights | undefined): Stream {
    const tf = this.#frequencyFor(weights);
    const own = (list: number) => impactsOf(this.#pool, list, this.#size, tf);
    const only = part.matches[0];
    if (part.matches.length === 1 && only?.factor === 1) {
      const { list } = only;
      return streamOf(weights === undefined ? this.#impacts.of(list, this.#size, tf) : own(list), part.frequency);
    }
    const lists: DiscountedImpacts[] = [];
    for (const { list, factor } of part.matches) {
      const impacts = weights === undefined ? this.#impacts.whole(list, this.#size, tf) : own(list);
      lists.push({ impacts, factor });
    }
    return mergeStreams(lists, part.frequency);
  }

  /** Raises the units of each row to what the match gives it, where that is more. */
  #raiseUnits(units: number[], rows: readonly number[], match: Match, tf: TermFrequency, isDefault: boolean): void {
    const { list, factor } = match;
    const pool = this.#pool;
    const known = isDefault ? this.#impacts.known(list) : null;
    const idf = inverseFrequency(this.#size, pool.length(list));
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const at = pool.find(list, row);
      if (at < 0) continue;
      const full = known === null ? toScoreUnits(idf, tf.of(row, pool.payload[at]!)) : known[at]!;
      const own = factor === 1 ? full : discounted(full, factor);
      if (own > units[i]!) units[i] = own;
    }
  }

  /** The counts of the term that answers for this part of the query in the row. */
  #countsOf(part: QueryPart, row: number): number {
    const only = part.matches[0];
    if (part.matches.length !== 1 || only === undefined)
      return this.#bestMatch(part, row, this.#frequencyFor(undefined)).counts;
    const at = this.#pool.find(only.list, row);
    return at < 0 ? 0 : this.#pool.payload[at]!;
  }

  /** The indexed term that gives this row most, the first of them when two give the same. */
  #bestMatch(part: QueryPart, row: number, tf: TermFrequency): BestMatch {
    let best: BestMatch = { match: undefined, units: 0, counts: 0 };
    for (const match of part.matches) {
      const at = this.#pool.find(match.list, row);
      if (at < 0) continue;
      const counts = this.#pool.payload[at]!;
      const idf = inverseFrequency(this.#size, this.#pool.length(match.list));
      const full = toScoreUnits(idf, tf.of(row, counts));
      const units = match.factor === 1 ? full : discounted(full, match.factor);
      if (units > best.units) best = { match, units, counts };
    }
    return best;
  }
}

interface BestMatch {
  readonly match: Match | undefined;
  readonly units: number;
  readonly counts: number;
}

/** Property by property: copying them all at once is a hundred times slower. */
function streamOf(impacts: Impacts, times: number): Stream {
  const { rows, rowsFrom, values, valuesFrom, length, max, pending } = impacts;
  return { rows, rowsFrom, values, valuesFrom, length, times, max, pending };
}

function divided(scores: readonly number[], by: number): readonly number[] {
  const shares = new Array<number>(scores.length);
  for (let i = 0; i < scores.length; i++) shares[i] = scores[i]! / by;
  return shares;
}

function totalFrequency(terms: readonly QueryTerm[]): number {
  let total = 0;
  for (const { frequency } of terms) total += frequency;
  return total;
}

/** Undefined when every weight is the default one, which is the fast case. */
function customWeights({ fieldWeights }: ScoreOptions): FieldWeights | undefined {
  return fieldWeights === undefined || Object.keys(fieldWeights).length === 0 ? undefined : fieldWeights;
}

function outOfStep(what: string): DowserError {
  return new DowserError('INTERNAL', `The keyword index is out of step with the store: ${what}.`);
}
