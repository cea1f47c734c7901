import type { Filter, ViewClauses } from '../../../model/query/filter.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import type { KeywordIndex } from '../../../search/keyword/keyword-index.ts';
import type { KeywordReader } from '../../../search/keyword/keyword-reader.ts';
import { RecentValues } from './recent-values.ts';
import type { UnitTable } from './unit-table.ts';

/** Views whose statistics are kept: the public one, and those of the groups and collections that are searched the most. */
export const MAX_VIEWS = 8;

/** All views together copy at most this many postings, or as many as two indexes have. 12 bytes each. */
const MAX_COPIED = 1_000_000;

/** The part of an index that a caller may read, or that some collections have. Every statistic of a search is taken from it. */
export interface IndexView {
  /** Null: no restriction. */
  readonly rows: Bitset | null;
  /** Equal for equal clauses. */
  readonly key: string;
  readonly entities: number;
  readonly units: number;
  readonly keyword: KeywordReader;
}

/** What views are made from. */
export interface ViewSource {
  readonly keyword: KeywordIndex;
  readonly table: Pick<UnitTable, 'entityCount' | 'unitCount'>;
  eligible(filter: Filter): Bitset;
  /** See `RowFilter`. */
  presentReaders(readers: readonly string[]): readonly string[];
}

/** The views that searches ask, kept until the next write. A search without restriction pays nothing. */
export class IndexViews {
  readonly #source: ViewSource;
  readonly #views = new RecentValues<IndexView>(MAX_VIEWS);

  constructor(source: ViewSource) {
    this.#source = source;
  }

  of({ readers: all, collections }: ViewClauses): IndexView {
    if (all === undefined && collections === undefined) return this.#whole();
    const readers = all === undefined ? undefined : this.#source.presentReaders(all);
    const clauses = clausesOf(readers, collections);
    const key = JSON.stringify([readers ?? null, sortedOnce(collections)]);
    const kept = this.#views.get(key);
    if (kept !== undefined) return kept;
    this.#makeRoom();
    const { keyword } = this.#source;
    const rows = this.#source.eligible(clauses);
    const units = rows.count();
    const entities = this.#source.eligible({ ...clauses, unitKinds: ['card'] }).count();
    const part = units === keyword.size ? keyword : keyword.within(rows);
    return this.#views.add(key, { rows, key, entities, units, keyword: part });
  }

  #whole(): IndexView {
    const { keyword, table } = this.#source;
    return { rows: null, key: '', entities: table.entityCount, units: table.unitCount, keyword };
  }

  #makeRoom(): void {
    const { keyword } = this.#source;
    let copied = 0;
    for (const view of this.#views.values()) if (view.keyword !== keyword) copied += view.keyword.postings;
    if (copied > Math.max(MAX_COPIED, 2 * keyword.postings)) this.#views.clear();
  }

  /** Call it after every write. */
  invalidate(): void {
    this.#views.clear();
  }
}

function clausesOf(readers: ViewClauses['readers'], collections: ViewClauses['collections']): ViewClauses {
  if (readers === undefined) return { collections: collections! };
  return collections === undefined ? { readers } : { readers, collections };
}

const sortedOnce = (list: readonly string[] | undefined): readonly string[] | null =>
  list === undefined ? null : [...new Set(list)].sort();
