import { DowserError } from '../../model/errors.ts';
import type { Bitset } from '../filter/bitset.ts';
import type { AnalyzedUnit } from '../text/analyzed-unit.ts';
import type { IndexParts } from './index-parts.ts';
import { KeywordReader } from './keyword-reader.ts';
import { emptyState, fromIndexParts, type KeywordState, toIndexParts } from './keyword-state.ts';
import { KeywordView } from './keyword-view.ts';

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
