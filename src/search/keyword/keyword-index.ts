import { DowserError } from '../../model/errors/errors.ts';
import type { Bitset } from '../filter/bitset.ts';
import type { AnalyzedUnit } from '../text/analyzed-unit.ts';
import type { IndexParts } from './index-parts.ts';
import { KeywordReader } from './keyword-reader.ts';
import { emptyState, fromIndexParts, type KeywordState, toIndexParts } from './keyword-state.ts';
import { ListChanges } from './postings/list-changes.ts';
import { PostingPool } from './postings/posting-pool.ts';
import { type PreparedChange, prepareChange } from './postings/prepared-change.ts';
import { ViewTerms } from './terms/view-terms.ts';

/**
 * Some rows of a keyword index, read as if there were no others. Posting lists are copied when a query first needs them,
 * without the other rows. Valid until the next write to the index.
 */
class KeywordView extends KeywordReader {
  constructor({ terms, pool, lengths, rows: all }: KeywordState, rows: Bitset) {
    const own = new PostingPool(new Uint32Array(0));
    const size = rows.countWith(all);
    super({ terms: new ViewTerms(terms, pool, own, rows), pool: own, lengths: lengths.within(rows, all, size), size });
  }
}

/** What a row had and what it will have; null: nothing. */
export interface TextChange {
  readonly row: number;
  readonly before: AnalyzedUnit | null;
  readonly after: AnalyzedUnit | null;
}

/**
 * An in-memory keyword index over analyzed units. Rows are small whole numbers that the caller chooses and can reuse after
 * a removal. It reads all its units; `within` reads some of them.
 */
export class KeywordIndex extends KeywordReader {
  readonly #state: KeywordState;

  /** Creates an empty index. `state` is for `fromParts`. */
  constructor(state: KeywordState = emptyState()) {
    super(state);
    this.#state = state;
  }

  /** The same index as if it had only these rows. Valid until the next write. Costs little until it is searched. */
  within(rows: Bitset): KeywordView {
    return new KeywordView(this.#state, rows);
  }

  /** The row must not be in the index. */
  add(row: number, unit: AnalyzedUnit): void {
    if (this.#state.rows.has(row)) throw outOfSync(`row ${row} is taken`);
    unit.terms.forEach((term, i) => {
      this.#state.pool.insert(this.#state.terms.listFor(term), row, unit.counts[i]!);
    });
    this.#state.rows.add(row);
    this.#state.lengths.set(row, unit.lengths);
    this.#state.size++;
    this.#invalidate();
  }

  /** Pass the same unit as to `add`: the index needs its terms to find the postings. */
  remove(row: number, unit: AnalyzedUnit): void {
    if (!this.#state.rows.has(row)) throw outOfSync(`row ${row} is free`);
    for (const term of unit.terms) {
      const list = this.#state.terms.listOf(term);
      if (list === undefined || !this.#state.pool.remove(list, row))
        throw outOfSync(`row ${row} has no term '${term}'`);
      if (this.#state.pool.length(list) === 0) this.#state.terms.drop(term, list);
    }
    this.#state.rows.delete(row);
    this.#state.lengths.clear(row);
    this.#state.size--;
    this.#invalidate();
  }

  /**
   * Does the same as `remove` and `add` for many rows, which must be in ascending order. All of it becomes visible at once,
   * and most of the work is done before that, in slices.
   */
  prepare(changes: readonly TextChange[]): Generator<void, PreparedChange> {
    const { terms } = this.#state;
    const lists = new ListChanges(this.#state.pool);
    const created: string[] = [];
    const sweep = (words: readonly string[]) => {
      for (const term of words) terms.sweep(term);
      return words.length;
    };
    return prepareChange(changes, lists, {
      note: (change) => this.#note(change, lists, created),
      prepare: () => this.#prepareRows(changes, created),
      sweep: ({ before }) => sweep(before?.terms ?? []),
      forget: () => sweep(created),
      outOfSync: () => outOfSync('a row lacks a term that is removed'),
    });
  }

  *#prepareRows(changes: readonly TextChange[], created: readonly string[]): Generator<void, () => void> {
    const admit = yield* this.#state.terms.admit(created);
    return () => {
      admit();
      this.#apply(changes);
    };
  }

  #note({ row, before, after }: TextChange, lists: ListChanges<Uint32Array>, created: string[]): number {
    const { terms, rows } = this.#state;
    if (rows.has(row) !== (before !== null)) throw outOfSync(`row ${row} is ${before === null ? 'taken' : 'free'}`);
    for (const term of before?.terms ?? []) {
      const list = terms.listOf(term);
      if (list === undefined) throw outOfSync(`row ${row} has no term '${term}'`);
      lists.remove(list, row);
    }
    after?.terms.forEach((term, i) => {
      lists.add(terms.reserve(term, created), row, after.counts[i]!);
    });
    return (before?.terms.length ?? 0) + (after?.terms.length ?? 0);
  }

  #apply(changes: readonly TextChange[]): void {
    const { rows, lengths } = this.#state;
    for (const { row, before, after } of changes) {
      if (after !== null) {
        rows.add(row);
        lengths.set(row, after.lengths);
      } else if (before !== null) {
        rows.delete(row);
        lengths.clear(row);
      }
      this.#state.size += Number(after !== null) - Number(before !== null);
    }
    this.#invalidate();
  }

  /** A snapshot for disk. The arrays are copies, so the index can change afterwards. */
  toParts(): IndexParts {
    return toIndexParts(this.#state);
  }

  /** Uses the arrays without copying. Throws STORE_CORRUPT if they are inconsistent or from another analyzer version. */
  static fromParts(parts: IndexParts): KeywordIndex {
    return new KeywordIndex(fromIndexParts(parts));
  }

  #invalidate(): void {
    this.#state.terms.invalidate();
    this.forgetScores();
  }
}

function outOfSync(reason: string): DowserError {
  return new DowserError('INTERNAL', `The keyword index is out of sync with the store: ${reason}.`);
}
