import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { squaresOf } from '../../search/vector/squares.ts';
import { type IndexView, MAX_VIEWS } from '../embedded/index/index-views.ts';
import { RecentValues } from '../embedded/index/recent-values.ts';
import type { RemoteSearch, SpaceRows, SpaceView, VectorSource, VectorSpace } from '../embedded/index/vector-space.ts';
import { WaitingRows } from '../embedded/index/waiting-rows.ts';
import type { PointHit, PointSearch } from './collection.ts';
import { LocalVectors } from './local-vectors.ts';
import { PendingPoints } from './pending-points.ts';
import { type Payload, payloadOf } from './point.ts';
import { MAX_RECENT, RemoteAnswers } from './remote-answers.ts';
import { MeanSample } from './sampled-mean.ts';

interface KeptView {
  readonly rows: Bitset;
  readonly version: number;
  readonly view: SpaceView;
}

/** What a space asks of the server. */
export interface SpaceServer {
  /** See `IndexSettings`. */
  readonly maxExact: number;
  ask(space: QdrantSpace, searches: readonly PointSearch[]): Promise<readonly (readonly PointHit[])[]>;
  /** Counts may have changed. */
  changed(): void;
  /** There is something to write. */
  wake(): void;
  settled(space: QdrantSpace): Promise<void>;
  drop(space: QdrantSpace): void;
}

/** The vectors of one embedder, searched by Qdrant. Here is which rows have one, and what Qdrant does not have yet. */
export class QdrantSpace implements VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: RemoteAnswers;
  readonly remote: RemoteSearch;
  /** Rows with a vector. */
  readonly present = new Bitset();
  readonly pending = new PendingPoints();
  readonly rows: SpaceRows;
  readonly #source: VectorSource;
  readonly #server: SpaceServer;
  readonly #local: LocalVectors;
  readonly #mean: MeanSample;
  readonly #waiting = new WaitingRows();
  readonly #views = new RecentValues<KeptView>(MAX_VIEWS);
  #whole: SpaceView | null = null;
  #version = 0;
  #size = 0;
  #lacking = 0;

  constructor(embedder: EmbedderIdentity, rows: SpaceRows, source: VectorSource, server: SpaceServer) {
    this.embedder = embedder;
    this.rows = rows;
    this.#source = source;
    this.#server = server;
    const local = new LocalVectors(source, embedder);
    const { present, pending } = this;
    this.#local = local;
    this.#mean = new MeanSample(embedder.dimensions, local, (row) => rows.table.unitAt(row)?.id ?? '');
    const ask = (searches: readonly PointSearch[]) => server.ask(this, searches);
    this.vectors = new RemoteAnswers({ rows, present, pending, local, ask, maxExact: server.maxExact });
    this.remote = {
      answer: (leg, whole) => this.vectors.answer(leg, whole),
      settled: () => server.settled(this),
    };
  }

  /** How many rows have a vector. */
  get size(): number {
    return this.#size;
  }

  /** How many vectors the server lacks besides the pending ones, by its own count. Which ones is not known. */
  get lacking(): number {
    return this.#lacking;
  }

  set lacking(count: number) {
    if (count === this.#lacking) return;
    this.#lacking = count;
    this.changed();
  }

  get unloadedCount(): number {
    return Math.max(0, this.pending.count - MAX_RECENT);
  }

  waitingRows(compare: (a: number, b: number) => number): Iterable<number> {
    return this.#waiting.inOrder(compare);
  }

  isWaiting(row: number): boolean {
    return this.#waiting.has(row);
  }

  reserve(): void {}

  /** Of a large store, Qdrant has most vectors already: what it lacks is found out in the background. */
  loadAll(source: VectorSource): void {
    for (const row of source.allRowsWithVector(this.embedder.id)) this.#add(row);
    if (this.#size <= MAX_RECENT) for (const row of this.present) this.pending.doubt(row);
    this.changed();
    this.#server.wake();
  }

  load(row: number, vector: Float32Array): void {
    this.set(row, vector);
  }

  set(row: number, vector: Float32Array): void {
    squaresOf(vector, this.embedder.dimensions);
    const unit = this.rows.table.unitAt(row)?.id;
    if (unit === undefined) throw new DowserError('INTERNAL', `Row ${row} has no unit.`);
    this.#add(row);
    this.pending.add(row, unit);
    this.changed();
    this.#server.wake();
  }

  delete(row: number, textHash: string): void {
    const unit = this.rows.table.unitAt(row)?.id;
    if (this.present.has(row) && unit !== undefined) {
      this.present.delete(row);
      this.#size--;
      this.pending.remove(row, unit);
      this.#mean.delete(row);
      this.#local.forget(row);
      this.#server.wake();
    }
    this.changed();
    this.update(row, textHash);
  }

  /** The record has no vector of this size for the row: it waits for a new one. */
  lose(row: number): void {
    this.delete(row, this.rows.table.unitAt(row)?.textHash ?? '');
  }

  update(row: number, textHash: string): void {
    const hasVector = this.present.has(row);
    if (this.#waiting.set(row, textHash !== '' && !hasVector)) this.changed();
    if (!hasVector) return;
    const digest = this.pending.digest(row);
    if (digest !== 0 && digest === this.payload(row)?.digest) return;
    this.pending.add(row, this.rows.table.unitAt(row)!.id);
    this.changed();
    this.#server.wake();
  }

  within({ rows, key }: Pick<IndexView, 'rows' | 'key'>): SpaceView {
    if (rows === null) {
      this.#whole ??= this.#count(null);
      return this.#whole;
    }
    const kept = this.#views.get(key);
    if (kept?.rows === rows && kept.version === this.#version) return kept.view;
    return this.#views.add(key, { rows, version: this.#version, view: this.#count(rows) }).view;
  }

  drop(): void {
    this.#server.drop(this);
  }

  /** Undefined for a row without a unit. */
  payload(row: number): Payload | undefined {
    const { table } = this.rows;
    const [unit, owner] = [table.unitAt(row), table.ownerOf(row)];
    return unit === undefined || owner === undefined ? undefined : payloadOf(unit, owner.facts);
  }

  /** As the record has it. */
  vectorOf(row: number): Float32Array | undefined {
    return this.#source.vectorOf(row, this.embedder);
  }

  /** Counts are computed again. */
  changed(): void {
    this.#whole = null;
    this.#version++;
    this.#server.changed();
  }

  #add(row: number): void {
    this.#local.forget(row);
    if (!this.present.has(row)) {
      this.present.add(row);
      this.#size++;
    }
    this.#mean.add(row);
    this.#waiting.set(row, false);
  }

  #count(rows: Bitset | null): SpaceView {
    const { present, pending } = this;
    const { mean, count } = this.#mean.meanOf(present, rows);
    const size = rows === null ? this.#size : rows.countWith(present);
    const waits = rows === null ? pending.count : rows.countWith(pending.rows);
    // Of some rows, their share.
    const lacking = size === 0 ? 0 : Math.ceil((this.#lacking * size) / this.#size);
    const unloaded = Math.min(size, Math.max(0, waits - MAX_RECENT) + lacking);
    const missing = rows === null ? this.#waiting.count : rows.countWith(this.#waiting.rows);
    return { mean, meanCount: count, vectors: size - unloaded, missing, unloaded };
  }
}
