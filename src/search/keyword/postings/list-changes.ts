import { Bitset } from '../../filter/bitset.ts';
import { grown, type Numbers } from '../../rows/grown.ts';
import { capacityFor, type PostingPage, startOf } from './posting-pages.ts';
import type { PostingPool } from './posting-pool.ts';

/** Postings written in a slice: about 5 milliseconds. */
const SLICE_POSTINGS = 50_000;

/** Marks an entry that removes its row. The payload of a posting is never 0. */
const REMOVED = 0;

/**
 * Changes of many posting lists that become visible at once. Note the changes, write them in slices with `prepare`, and
 * switch with `apply`, which takes time per list and not per posting. Until then, readers see every list as it was: new
 * postings are written behind its end, or to a block that no list has. One change at a time, and no other write meanwhile.
 */
export class ListChanges<P extends Numbers> {
  readonly #pool: PostingPool<P>;
  readonly #removed = new Bitset();
  /** The lists that change. */
  readonly #lists: number[] = [];
  /** The block where the postings of each of them will be, and how many. */
  readonly #blocks: number[] = [];
  readonly #lengths: number[] = [];
  // The entries of a list are linked, the last one first. `pool.scratch` has the last one of each list.
  #rows = new Uint32Array(64);
  #values = new Uint32Array(64);
  #links = new Uint32Array(64);
  /** Entry 0 is the end of every chain. */
  #entries = 1;

  constructor(pool: PostingPool<P>) {
    this.#pool = pool;
  }

  /** Rows must come in ascending order. `value` is not 0. */
  add(list: number, row: number, value: number): void {
    const { scratch } = this.#pool;
    const entry = this.#entries++;
    if (entry >= this.#rows.length) {
      this.#rows = grown(this.#rows, entry + 1);
      this.#values = grown(this.#values, entry + 1);
      this.#links = grown(this.#links, entry + 1);
    }
    const last = scratch[list]!;
    if (last === 0) this.#lists.push(list);
    this.#rows[entry] = row;
    this.#values[entry] = value;
    this.#links[entry] = last;
    scratch[list] = entry;
  }

  /** The same for a row that is removed. It must be removed from all its lists. */
  remove(list: number, row: number): void {
    this.#removed.add(row);
    this.add(list, row, REMOVED);
  }

  /** Returns false if a row that is removed was not in its list. */
  *prepare(): Generator<void, boolean> {
    let written = 0;
    for (const list of this.#lists) {
      const length = this.#prepareList(list);
      if (length < 0) return false;
      written += 1 + length;
      if (written < SLICE_POSTINGS) continue;
      written = 0;
      yield;
    }
    return true;
  }

  apply(): void {
    this.#blocks.forEach((block, n) => {
      this.#pool.replace(this.#lists[n]!, block, this.#lengths[n]!);
    });
    this.#clear();
  }

  /** Gives back the blocks that `prepare` has taken. */
  discard(): void {
    this.#blocks.forEach((block, n) => {
      const list = this.#lists[n]!;
      const isOwn = this.#pool.capacity(list) > 0 && this.#pool.block(list) === block;
      if (!isOwn) this.#pool.release(block, capacityFor(this.#lengths[n]!));
    });
    this.#clear();
  }

  #clear(): void {
    const { scratch } = this.#pool;
    for (const list of this.#lists) scratch[list] = 0;
  }

  /** Returns how many postings the list will have; -1 if a row that is removed is not in it. */
  #prepareList(list: number): number {
    const last = this.#pool.scratch[list]!;
    const before = this.#pool.length(list);
    let added = 0;
    let removed = 0;
    let firstRow = 0;
    for (let entry = last; entry !== 0; entry = this.#links[entry]!) {
      if (this.#values[entry] === REMOVED) removed++;
      else {
        added++;
        firstRow = this.#rows[entry]!;
      }
    }
    const length = before + added - removed;
    const lastAt = this.#pool.start(list) + before - 1;
    const isAppended =
      removed === 0 &&
      length <= this.#pool.capacity(list) &&
      (before === 0 || firstRow > this.#pool.page(list).rows[lastAt]!);
    const block = isAppended || length <= 0 ? this.#pool.block(list) : this.#pool.reserve(length);
    this.#blocks.push(block);
    this.#lengths.push(Math.max(0, length));
    const start = startOf(block);
    const place = { page: this.#pool.pageOf(block), from: isAppended ? start + before : start, to: start + length };
    return this.#merge(list, isAppended ? 0 : before, last, place) ? length : -1;
  }

  /** Writes the first postings of the list that stay and the new ones, backward. Returns false unless they fill the place. */
  #merge(list: number, before: number, last: number, place: Place<P>): boolean {
    const { rows, payload } = this.#pool.page(list);
    const from = this.#pool.start(list);
    let to = place.to;
    let entry = last;
    let at = from + before - 1;
    for (;;) {
      while (entry !== 0 && this.#values[entry] === REMOVED) entry = this.#links[entry]!;
      while (at >= from && this.#removed.has(rows[at]!)) at--;
      if (entry === 0 && at < from) return to === place.from;
      if (to <= place.from) return false;
      to--;
      if (entry !== 0 && (at < from || this.#rows[entry]! > rows[at]!)) {
        place.page.rows[to] = this.#rows[entry]!;
        place.page.payload[to] = this.#values[entry]!;
        entry = this.#links[entry]!;
      } else {
        place.page.rows[to] = rows[at]!;
        place.page.payload[to] = payload[at]!;
        at--;
      }
    }
  }
}

/** Where postings are written. */
interface Place<P extends Numbers> {
  readonly page: PostingPage<P>;
  readonly from: number;
  readonly to: number;
}
