import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import type { Filter } from '../../../model/query/filter.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import type { RowScores, RowSearchOptions } from '../../../search/rows/row-scores.ts';
import type { VectorServer } from '../../vector-server.ts';
import type { IndexView } from './index-views.ts';
import type { UnitTable } from './unit-table.ts';

/**
 * The vectors of one embedder, and the rows that still wait for one. They are searched in this process (`InProcessSpace`), or
 * by a server (`remote`). The record has all of them: a space can be filled again at any time.
 */
export interface VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: SearchedVectors;
  /** Null: searched in this process, without waiting. */
  readonly remote: RemoteSearch | null;
  /** How many vectors cannot be searched: they do not fit in memory, or the server does not have them yet. */
  readonly unloadedCount: number;
  /** Rows that wait for a vector, in the order of `compare`, which must order by unit id. */
  waitingRows(compare: (a: number, b: number) => number): Iterable<number>;
  isWaiting(row: number): boolean;
  /** Allocates memory for the vectors of these rows. Throws STORE_FULL, so call it before writing the record. */
  reserve(rows: Iterable<number>): void;
  /** Loads what the record has. */
  loadAll(source: VectorSource): void;
  /** Loads a vector from the record. If it cannot be held, its unit is found by keyword only. */
  load(row: number, vector: Float32Array): void;
  set(row: number, vector: Float32Array): void;
  /** Call it while the table has the unit of the row. */
  delete(row: number, textHash: string): void;
  /** The unit of a row, its text or the facts of its entity may have changed. A row waits while it has a text and no vector. */
  update(row: number, textHash: string): void;
  /** What a view has of it. Computed once until the next write. */
  within(view: Pick<IndexView, 'rows' | 'key'>): SpaceView;
  /** It is no longer used. */
  drop(): void;
}

/** Answers from what is in this process. A remote space is asked by `RemoteSearch.answer` first. */
export interface SearchedVectors {
  /** The best rows by cosine, best first. */
  search(query: Float32Array, options: SpaceSearchOptions): RowScores;
  /** The exact cosines in the order of `rows`; null for a row without a vector or with a zero vector. */
  scoreRows(query: Float32Array, rows: readonly number[]): (number | null)[];
}

export interface SpaceSearchOptions extends RowSearchOptions {
  readonly eligible: Bitset;
  /** `eligible` has the rows that pass it. */
  readonly filter: Filter;
  readonly efSearch?: number | undefined;
  readonly isolated?: boolean;
}

export interface RemoteSearch {
  /**
   * Asks the server what `leg` searches for, then runs `whole` with the answers. Both run without waiting. Throws
   * VECTORS_UNAVAILABLE if the server cannot be asked.
   */
  answer<T>(leg: () => unknown, whole: () => T): Promise<T>;
  /** Resolves when the server has every vector, or cannot be reached. */
  settled(): Promise<void>;
}

/** The vectors of a caller's view. */
export interface SpaceView {
  readonly mean: Float32Array | null;
  /** How many vectors it is the mean of. */
  readonly meanCount: number;
  /** How many units have a vector, wait for one, and have one that cannot be searched. */
  readonly vectors: number;
  readonly missing: number;
  readonly unloaded: number;
}

export const NO_VECTORS: SpaceView = { mean: null, meanCount: 0, vectors: 0, missing: 0, unloaded: 0 };

/** The vectors of the record. */
export interface VectorSource {
  vectors(embedder: EmbedderIdentity): Iterable<{ readonly row: number; readonly vector: Float32Array }>;
  /** Of any embedder; -1 without vectors. */
  lastRowWithVector(): number;
  /** In any order. */
  allRowsWithVector(embedder: string): Iterable<number>;
  vectorOf(row: number, embedder: EmbedderIdentity): Float32Array | undefined;
}

/** What a space may ask about rows. */
export interface SpaceRows {
  readonly table: UnitTable;
  eligible(filter: Filter): Bitset;
}

export type OpenSpace = (embedder: EmbedderIdentity, rows: SpaceRows) => VectorSpace;

/** The same for an embedded engine, which opens and closes it. */
export interface AttachedVectorServer extends VectorServer {
  /** Opens the spaces of a store. Call it once. */
  spacesOf(source: VectorSource): OpenSpace;
  start(owner: VectorOwner): void;
  /** Resolves when the server has every vector, or cannot be reached. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The store whose vectors a server has. */
export interface VectorOwner {
  /** A name that no other store has; null: not known yet. */
  readonly id: () => string | null;
  /** Whether this process writes to the server. Of the nodes that share a record, one at a time does. */
  readonly leads: () => boolean;
  /** Called when counts may have changed. */
  readonly onProgress: () => void;
}
