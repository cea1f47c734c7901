import { type Explanation, leaf, sum } from '../../model/answer/explanation.ts';
import { FIELDS } from '../../model/entity-parts/unit.ts';
import type { RowScores, RowSearchOptions } from '../rows/row-scores.ts';
import { countOf } from '../text/analyzed-unit.ts';
import { analyzeQuery, type QueryTerm } from '../text/analyzer.ts';
import { inverseFrequency, SCORE_UNITS, TermFrequency, toScoreUnits } from './bm25f.ts';
import { explainTerm, type TermMatch } from './explain-term.ts';
import type { FieldLengths } from './field-lengths.ts';
import { type DiscountedImpacts, discounted, mergePostings } from './postings/merge-postings.ts';
import { lowerBound, type PostingPool } from './postings/posting-pool.ts';
import { ScoreAccumulator, type ScoredPostings } from './postings/score-accumulator.ts';
import { TermImpacts } from './term-impacts.ts';
import type { ExpandedTerm, IndexedTerm } from './terms/query-expansion.ts';
import type { TermLookup } from './terms/term-dictionary.ts';

/** What a reader reads: all units of an index, or those that a view shows. */
export interface KeywordSource {
  readonly terms: TermLookup;
  readonly pool: PostingPool<Uint32Array>;
  readonly lengths: FieldLengths;
  /** The number of units. */
  readonly size: number;
}

/**
 * Searches the units of a source by BM25F, see bm25f.ts for the formula. Every statistic is that of the source: what it does
 * not have changes no score.
 *
 * If no unit has a query term, its fuzzy matches count instead (see `FuzzyTerms`), each with a factor below 1. A unit gets
 * the score of its best fuzzy match, not the sum. Results do not depend on earlier writes, only on the current units.
 */
export class KeywordReader {
  readonly #terms: TermLookup;
  readonly #pool: PostingPool<Uint32Array>;
  readonly #lengths: FieldLengths;
  readonly #source: KeywordSource;
  readonly #impacts: TermImpacts;
  readonly #accumulator = new ScoreAccumulator();
  /** Created again after a write. */
  #termFrequency: TermFrequency | undefined;

  constructor(source: KeywordSource) {
    this.#terms = source.terms;
    this.#pool = source.pool;
    this.#lengths = source.lengths;
    this.#source = source;
    this.#impacts = new TermImpacts(source.pool);
  }

  /** The number of units that are read. */
  get size(): number {
    return this.#source.size;
  }

  /** About how many postings are in memory. A view has those that it has copied so far. */
  get postings(): number {
    return this.#pool.used;
  }

  /** The best `limit` eligible rows that match the query. */
  search(query: string, options: RowSearchOptions): RowScores {
    const rowCount = this.#lengths.rowCount;
    const lists: ScoredPostings[] = [];
    for (const queryTerm of this.#terms.expand(query)) lists.push(this.#postingsOf(queryTerm));
    const { rows, scores } = this.#accumulator.best(lists, rowCount, options);
    return { rows, scores: divided(scores, SCORE_UNITS) };
  }

  /** The best rows by coverage: the share of the query's terms that the row has. Without fuzzy matches. */
  searchCoverage(query: string, options: RowSearchOptions): RowScores {
    const terms = analyzeQuery(query);
    const lists = terms.flatMap(({ term, frequency }): ScoredPostings[] => {
      const list = this.#terms.listOf(term);
      if (list === undefined) return [];
      const length = this.#pool.length(list);
      const start = this.#pool.start(list);
      const rows = this.#pool.page(list).rows.subarray(start, start + length);
      const values = new Uint32Array(length).fill(1);
      return [{ rows, values, from: 0, length, frequency, max: 1, pending: null }];
    });
    const total = totalFrequency(terms);
    const { rows, scores } = this.#accumulator.best(lists, this.#lengths.rowCount, options);
    return { rows, scores: divided(scores, total) };
  }

  explainCoverage(query: string, row: number): Explanation {
    const terms = analyzeQuery(query);
    const total = totalFrequency(terms);
    const matched = terms.filter(({ term }) => this.#has(term, row));
    return sum(
      'coverage',
      matched.map(({ term, frequency }) => leaf(term, frequency / total)),
    );
  }

  /** The maximum score of a row, and the number of terms. */
  ceiling(query: string): { readonly ceiling: number; readonly terms: number } {
    let ceiling = 0;
    const parts = this.#terms.expand(query);
    for (const { frequency, matches } of parts) {
      // Without fuzzy matches, which are of other terms.
      const exact = matches[0]?.factor === 1 ? this.#pool.length(matches[0].list) : 0;
      ceiling += frequency * inverseFrequency(this.size, exact);
    }
    return { ceiling, terms: parts.length };
  }

  /** The rows with all of these terms, ascending; null if even the rarest term is in more than `maxRows` rows. */
  rowsWith(terms: readonly string[], maxRows = Number.POSITIVE_INFINITY): readonly number[] | null {
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
    if (pool.length(rarest) > maxRows) return null;
    const { rows } = pool.page(rarest);
    const start = pool.start(rarest);
    for (let at = start; at < start + pool.length(rarest); at++) {
      const row = rows[at]!;
      if (lists.every((list) => list === rarest || pool.find(list, row) >= 0)) found.push(row);
    }
    return found;
  }

  /** The fields of the row that match the query, as bits in the order of FIELDS. */
  matchedFields(query: string, row: number): number {
    let fields = 0;
    for (const queryTerm of this.#terms.expand(query)) {
      const counts = this.#countsOf(queryTerm, row);
      if (counts === 0) continue;
      for (let field = 0; field < FIELDS.length; field++) if (countOf(counts, field) > 0) fields |= 1 << field;
    }
    return fields;
  }

  /** The same scores as `search`, in the order of `rows`. 0 for a row without a match. */
  scoreRows(query: string, rows: readonly number[]): number[] {
    const scores = new Array<number>(rows.length).fill(0);
    for (const { frequency, matches } of this.#terms.expand(query)) {
      const impacts = new Array<number>(rows.length).fill(0);
      for (const match of matches) this.#raiseImpacts(impacts, rows, match);
      for (let i = 0; i < rows.length; i++) scores[i] = scores[i]! + frequency * impacts[i]!;
    }
    for (let i = 0; i < rows.length; i++) scores[i] = scores[i]! / SCORE_UNITS;
    return scores;
  }

  /** Explains the score of a row by term and field. The parts add up exactly. */
  explain(query: string, row: number): Explanation {
    const tf = this.#tf();
    const terms: Explanation[] = [];
    for (const queryTerm of this.#terms.expand(query)) {
      const match = this.#bestMatch(queryTerm, row);
      if (match !== null) terms.push(explainTerm(match, tf, this.#lengths));
    }
    return sum('bm25f', terms);
  }

  /** Call it after every write to the source. */
  protected forgetScores(): void {
    this.#impacts.invalidate();
    this.#termFrequency = undefined;
  }

  #has(term: string, row: number): boolean {
    const list = this.#terms.listOf(term);
    return list !== undefined && this.#pool.find(list, row) >= 0;
  }

  #tf(): TermFrequency {
    this.#termFrequency ??= new TermFrequency(this.#lengths);
    return this.#termFrequency;
  }

  #postingsOf({ matches, frequency }: ExpandedTerm): ScoredPostings {
    const tf = this.#tf();
    const single = matches[0];
    if (matches.length === 1 && single?.factor === 1) return this.#impacts.of(single.list, frequency, this.size, tf);
    const lists: DiscountedImpacts[] = [];
    for (const { list, factor } of matches) {
      lists.push({ impacts: this.#impacts.computed(list, frequency, this.size, tf), factor });
    }
    return mergePostings(lists, frequency);
  }

  /** Raises the impact of each row to the impact of the match, if that is higher. */
  #raiseImpacts(impacts: number[], rows: readonly number[], { list, factor }: IndexedTerm): void {
    const pool = this.#pool;
    const { rows: held, payload } = pool.page(list);
    const start = pool.start(list);
    const end = start + pool.length(list);
    const tf = this.#tf();
    const known = this.#impacts.computedValues(list);
    const idf = inverseFrequency(this.size, pool.length(list));
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const at = lowerBound(held, start, end, row);
      if (at === end || held[at] !== row) continue;
      const full = known === null ? toScoreUnits(idf, tf.of(row, payload[at]!)) : known[at]!;
      const impact = discounted(full, factor);
      if (impact > impacts[i]!) impacts[i] = impact;
    }
  }

  /** The packed counts of the best match of the query term in the row. */
  #countsOf(queryTerm: ExpandedTerm, row: number): number {
    const single = queryTerm.matches[0];
    if (queryTerm.matches.length !== 1 || single === undefined) return this.#bestMatch(queryTerm, row)?.counts ?? 0;
    const at = this.#pool.find(single.list, row);
    return at < 0 ? 0 : this.#pool.page(single.list).payload[at]!;
  }

  /** The match with the highest impact in the row, the first one if two are equal; null without a match. */
  #bestMatch({ term: queryTerm, frequency, matches }: ExpandedTerm, row: number): TermMatch | null {
    const { size } = this;
    const tf = this.#tf();
    let best: TermMatch | null = null;
    for (const { term, list, factor } of matches) {
      const at = this.#pool.find(list, row);
      if (at < 0) continue;
      const counts = this.#pool.page(list).payload[at]!;
      const unitsWithTerm = this.#pool.length(list);
      const impact = discounted(toScoreUnits(inverseFrequency(size, unitsWithTerm), tf.of(row, counts)), factor);
      if (best !== null && impact <= best.impact) continue;
      best = { queryTerm, term, factor, frequency, impact, unitsWithTerm, size, row, counts };
    }
    return best;
  }
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
