import type { UnitId } from '../../model/entity-parts/unit.ts';
import { Bitset } from '../../search/filter/bitset.ts';

/** What the server does not have yet, as far as this process knows. */
export class PendingPoints {
  /** Rows whose point is to be written. */
  readonly rows = new Bitset();
  /** Units whose point is to be deleted. */
  readonly gone = new Set<UnitId>();
  /** Those of `rows` that the server may have: nothing changed, it was only not asked. */
  readonly #unsure = new Bitset();
  /** By row: the digest of the point that the server has; 0: unknown. */
  #digests = new Uint32Array(0);
  /** Rows that changed since `take`. */
  readonly #touched = new Set<number>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Whether this process has changed something that the server does not know. */
  get hasChanges(): boolean {
    return this.gone.size > 0 || this.#count > this.rows.countWith(this.#unsure);
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.gone.size === 0;
  }

  digest(row: number): number {
    return this.#digests[row] ?? 0;
  }

  add(row: number, unit: UnitId): void {
    this.gone.delete(unit);
    this.#unsure.delete(row);
    this.#touched.add(row);
    this.#setDigest(row, 0);
    this.#set(row, true);
  }

  /** The row has no vector any more. */
  remove(row: number, unit: UnitId): void {
    this.gone.add(unit);
    this.#touched.add(row);
    this.#setDigest(row, 0);
    this.#set(row, false);
  }

  /** The first rows to write. `done` them, unless the write fails. */
  take(max: number): readonly number[] {
    this.#touched.clear();
    const taken: number[] = [];
    for (const row of this.rows) {
      if (taken.length >= max) break;
      taken.push(row);
    }
    return taken;
  }

  /** The server has this point, unless the row has changed since `take`. */
  done(row: number, digest: number): void {
    if (this.#touched.has(row)) return;
    this.#setDigest(row, digest);
    this.#set(row, false);
  }

  /** It is not known whether the server has this row. */
  doubt(row: number): void {
    if (this.rows.has(row)) return;
    this.#unsure.add(row);
    this.#set(row, true);
  }

  /** The server has no point for this row: write it. */
  lacks(row: number): void {
    this.#unsure.delete(row);
    this.#set(row, true);
  }

  /** The server has this point. A vector may have changed with the same digest, so a changed row is written all the same. */
  compared(row: number, digest: number, isSame: boolean): void {
    if (!isSame) this.lacks(row);
    else if (!this.rows.has(row) || this.#unsure.has(row)) {
      this.#setDigest(row, digest);
      this.#set(row, false);
    }
  }

  /** What the server has is no longer known. */
  forgetDigests(): void {
    this.#digests.fill(0);
  }

  #set(row: number, isPending: boolean): void {
    if (this.rows.has(row) === isPending) return;
    this.rows.set(row, isPending);
    if (!isPending) this.#unsure.delete(row);
    this.#count += isPending ? 1 : -1;
  }

  #setDigest(row: number, digest: number): void {
    if (row >= this.#digests.length) {
      if (digest === 0) return;
      const grown = new Uint32Array(Math.max(row + 1, this.#digests.length * 2, 1024));
      grown.set(this.#digests);
      this.#digests = grown;
    }
    this.#digests[row] = digest;
  }
}
