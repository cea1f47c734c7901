import { type Bitset, hasBit } from '../../filter/bitset.ts';
import { arrayLike, grown, type Numbers } from '../../rows/grown.ts';
import { blockAt, capacityFor, type PostingPage, PostingPages, pageOf, startOf } from './posting-pages.ts';

/** Many posting lists in three flat arrays, for `PostingPool.compact` and `PostingPool.from`. */
interface FlatPostings<P extends Numbers> {
  /** The number of postings of each list. */
  readonly lengths: Uint32Array;
  readonly rows: Uint32Array;
  readonly payload: P;
}

/**
 * Posting lists of (row, payload) pairs. Each list is one block of `PostingPages`, sorted by row.
 * A full list moves to a block twice the size, and another list can reuse its old block. Inserting and removing shift the
 * rest of the list, which is a fast memory copy.
 *
 * To read a list, use `page(list)` from `start(list)` on, `length(list)` entries. Valid until the next write.
 */
export class PostingPool<P extends Numbers> {
  readonly #pages: PostingPages<P>;
  #pageNumbers = new Uint32Array(64);
  #starts = new Uint32Array(64);
  #lengths = new Uint32Array(64);
  #capacities = new Uint32Array(64);
  #lists = 0;
  readonly #dropped: number[] = [];
  #scratch = new Uint32Array(64);

  /** `pages` is for `from`. */
  constructor(payload: P, pages = new PostingPages(new Uint32Array(payload.length), payload)) {
    this.#pages = pages;
  }

  /** Uses the arrays without copying, also for later writes. Takes time per list, not per posting. */
  static from<P extends Numbers>({ lengths, rows, payload }: FlatPostings<P>): PostingPool<P> {
    const lists = lengths.length;
    const starts = new Uint32Array(lists);
    let used = 0;
    for (let list = 0; list < lists; list++) {
      starts[list] = used;
      used += lengths[list]!;
    }
    const pool = new PostingPool(payload, new PostingPages(rows, payload, used));
    pool.#lists = lists;
    pool.#pageNumbers = new Uint32Array(lists);
    pool.#starts = starts;
    pool.#lengths = lengths.slice();
    pool.#capacities = lengths.slice();
    return pool;
  }

  /** The number of postings that the pages have been filled with. */
  get used(): number {
    return this.#pages.used;
  }

  /** One more than the highest list number. */
  get lists(): number {
    return this.#lists;
  }

  /** A number for each list, for the writer. All 0 unless a change is being prepared. */
  get scratch(): Uint32Array {
    if (this.#scratch.length < this.#lists) this.#scratch = grown(this.#scratch, this.#lists);
    return this.#scratch;
  }

  page(list: number): PostingPage<P> {
    return this.#pages.at(this.#pageNumbers[list]!);
  }

  pageNumber(list: number): number {
    return this.#pageNumbers[list]!;
  }

  /** Where the list begins in its page. */
  start(list: number): number {
    return this.#starts[list]!;
  }

  /** The place of the list. */
  block(list: number): number {
    return blockAt(this.#pageNumbers[list]!, this.#starts[list]!);
  }

  /** The page of a block of `reserve`. */
  pageOf(block: number): PostingPage<P> {
    return this.#pages.at(pageOf(block));
  }

  capacity(list: number): number {
    return this.#capacities[list]!;
  }

  length(list: number): number {
    return this.#lengths[list]!;
  }

  /** Creates an empty list. Reuses the number of a dropped list if there is one. */
  create(): number {
    const reused = this.#dropped.pop();
    if (reused !== undefined) return reused;
    const list = this.#lists++;
    if (list >= this.#starts.length) {
      this.#pageNumbers = grown(this.#pageNumbers, list + 1);
      this.#starts = grown(this.#starts, list + 1);
      this.#lengths = grown(this.#lengths, list + 1);
      this.#capacities = grown(this.#capacities, list + 1);
    }
    return list;
  }

  /** Creates a list with the postings of another pool whose rows are in a set. */
  copy(source: PostingPool<P>, from: number, within: Bitset): number {
    const list = this.create();
    const start = source.#starts[from]!;
    const end = start + source.#lengths[from]!;
    const old = source.page(from);
    // Counted first if the whole list does not fit: a page for it could stay nearly empty.
    const most = this.#pages.hasRoom(end - start) ? end - start : source.countWithin(from, within);
    const { rows, payload } = this.#pages.nextPage(most);
    const { words } = within;
    const first = this.#pages.nextStart;
    let to = first;
    for (let at = start; at < end; at++) {
      const row = old.rows[at]!;
      if (!hasBit(words, row)) continue;
      rows[to] = row;
      payload[to++] = old.payload[at]!;
    }
    const kept = to - first;
    this.#assign(list, this.#pages.take(kept), kept);
    this.#lengths[list] = kept;
    return list;
  }

  /** How many rows of a list are in a set. */
  countWithin(list: number, { words }: Bitset): number {
    const { rows } = this.page(list);
    const start = this.#starts[list]!;
    const end = start + this.#lengths[list]!;
    let count = 0;
    for (let at = start; at < end; at++) if (hasBit(words, rows[at]!)) count++;
    return count;
  }

  /** Frees the number and the block of an empty list. */
  drop(list: number): void {
    this.release(this.block(list), this.#capacities[list]!);
    this.#capacities[list] = 0;
    this.#dropped.push(list);
  }

  /** The position of the row in the page of the list, or -1. */
  find(list: number, row: number): number {
    const { rows } = this.page(list);
    const at = this.#place(rows, list, row);
    return at < this.#starts[list]! + this.#lengths[list]! && rows[at] === row ? at : -1;
  }

  /** The row must not be in the list. */
  insert(list: number, row: number, value: number): void {
    const length = this.#lengths[list]!;
    if (length === this.#capacities[list]) this.#move(list, length === 0 ? 1 : 2 * length);
    const { rows, payload } = this.page(list);
    const at = this.#place(rows, list, row);
    const end = this.#starts[list]! + length;
    if (at < end) {
      rows.copyWithin(at + 1, at, end);
      payload.copyWithin(at + 1, at, end);
    }
    rows[at] = row;
    payload[at] = value;
    this.#lengths[list] = length + 1;
  }

  /** Returns false if the row is not in the list. */
  remove(list: number, row: number): boolean {
    const at = this.find(list, row);
    if (at < 0) return false;
    const { rows, payload } = this.page(list);
    const end = this.#starts[list]! + this.#lengths[list]!;
    rows.copyWithin(at, at + 1, end);
    payload.copyWithin(at, at + 1, end);
    this.#lengths[list] = this.#lengths[list]! - 1;
    return true;
  }

  /** A block for this many postings, which no list has yet. Its capacity is that of `capacityFor`. */
  reserve(length: number): number {
    return this.#pages.reserve(length);
  }

  /** Gives back a block that no list has. */
  release(block: number, capacity: number): void {
    this.#pages.release(block, capacity);
  }

  /** From now on the list is what was written to a block: its own, or one of `reserve`. */
  replace(list: number, block: number, length: number): void {
    if (block !== this.block(list) || this.#capacities[list] === 0) {
      this.release(this.block(list), this.#capacities[list]!);
      this.#assign(list, block, capacityFor(length));
    }
    this.#lengths[list] = length;
  }

  /** A copy without gaps, with the lists in the given order. */
  compact(order: readonly number[]): FlatPostings<P> {
    let total = 0;
    for (const list of order) total += this.#lengths[list]!;
    const lengths = new Uint32Array(order.length);
    const rows = new Uint32Array(total);
    const payload = arrayLike(this.#pages.at(0).payload, total);
    let to = 0;
    order.forEach((list, i) => {
      const length = this.#lengths[list]!;
      const start = this.#starts[list]!;
      const page = this.page(list);
      lengths[i] = length;
      for (let at = start; at < start + length; at++, to++) {
        rows[to] = page.rows[at]!;
        payload[to] = page.payload[at]!;
      }
    });
    return { lengths, rows, payload };
  }

  /** The position of the first row of the list that is not below `row`. `rows`: of its page. */
  #place(rows: Uint32Array, list: number, row: number): number {
    const from = this.#starts[list]!;
    const to = from + this.#lengths[list]!;
    return to > from && rows[to - 1]! < row ? to : lowerBound(rows, from, to, row);
  }

  #move(list: number, atLeast: number): void {
    const block = this.reserve(atLeast);
    const to = this.pageOf(block);
    const start = startOf(block);
    const from = this.page(list);
    const before = this.#starts[list]!;
    const length = this.#lengths[list]!;
    for (let n = 0; n < length; n++) {
      to.rows[start + n] = from.rows[before + n]!;
      to.payload[start + n] = from.payload[before + n]!;
    }
    this.release(this.block(list), this.#capacities[list]!);
    this.#assign(list, block, capacityFor(atLeast));
  }

  #assign(list: number, block: number, capacity: number): void {
    this.#pageNumbers[list] = pageOf(block);
    this.#starts[list] = startOf(block);
    this.#capacities[list] = capacity;
  }
}

/** The position of the first row from `from` to `to` that is not below `row`; `to` if there is none. */
export function lowerBound(rows: Uint32Array, from: number, to: number, row: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
