import type { Bitset } from '../../search/filter/bitset.ts';
import type { KeywordIndex } from '../../search/keyword/keyword-index.ts';
import type { KeywordReader } from '../../search/keyword/keyword-reader.ts';
import type { KeywordView } from '../../search/keyword/keyword-view.ts';
import { RecentValues } from './recent-values.ts';

/** Views whose statistics are kept: the public one, and those of the groups that search the most. */
export const MAX_VIEWS = 8;

/** Postings that a view may copy before it starts again: 12 bytes each. */
const MAX_COPIED = 1_000_000;

/** The part of an index that a caller may read. Every statistic of a search is taken from it. */
export interface ReaderView {
  /** Null: no restriction. */
  readonly rows: Bitset | null;
  /** Equal for equal readers. */
  readonly key: string;
  readonly keyword: KeywordReader;
}

interface KeptView extends ReaderView {
  readonly rows: Bitset;
  /** Null if the view has all rows. */
  readonly part: KeywordView | null;
}

/** The views of callers, kept until the next write. A caller without restriction pays nothing. */
export class ReaderViews {
  readonly #keyword: KeywordIndex;
  readonly #rowsOf: (readers: readonly string[]) => Bitset;
  readonly #all: ReaderView;
  readonly #views = new RecentValues<KeptView>(MAX_VIEWS);

  constructor(keyword: KeywordIndex, rowsOf: (readers: readonly string[]) => Bitset) {
    this.#keyword = keyword;
    this.#rowsOf = rowsOf;
    this.#all = { rows: null, key: '', keyword };
  }

  of(readers: readonly string[] | undefined): ReaderView {
    if (readers === undefined) return this.#all;
    const key = JSON.stringify([...new Set(readers)].sort());
    const kept = this.#views.get(key);
    if (kept !== undefined && (kept.part?.copied ?? 0) <= MAX_COPIED) return kept;
    const rows = this.#rowsOf(readers);
    const isWhole = rows.count() === this.#keyword.size;
    const part = isWhole ? null : this.#keyword.within(rows);
    return this.#views.add(key, { rows, key, part, keyword: part ?? this.#keyword });
  }

  /** Call it after every write. */
  invalidate(): void {
    this.#views.clear();
  }
}
