import { type Bitset, hasBit } from '../filter/bitset.ts';

type Payload = Uint32Array | Uint8Array;

/** Many posting lists in three flat arrays, for `PostingPool.compact` and `PostingPool.from`. */
interface FlatPostings<P extends Payload> {
  /** The number of postings of each list. */
  readonly lengths: Uint32Array;
  readonly rows: Uint32Array;
  readonly payload: P;
}

/**
 * Posting lists of (row, payload) pairs in two growing arrays. Each list is contiguous and sorted by row.
 * A full list moves to a block twice the size, and another list can reuse its old block. Inserting and removing shift the
 * rest of the list, which is a fast memory copy.
 *
 * To read a list, use `rows` and `payload` from `start(list)` on, `length(list)` entries. Valid until the next write.
 */
export class PostingPool<P extends Payload> {
  #rows: Uint32Array;
  #payload: P;
  #used: number;
  #starts: Uint32Array;
  #lengths: Uint32Array;
  #capacities: Uint32Array;
  #lists = 0;
  /** The starts of unused blocks by size: a block at index n can hold at least 2^n postings. */
  readonly #free: number[][] = [];
  readonly #dropped: number[] = [];
  #scratch = new Uint32Array(64);

  constructor(payload: P) {
    this.#rows = new Uint32Array(payload.length);
    this.#payload = payload;
    this.#used = 0;
    this.#starts = new Uint32Array(64);
    this.#lengths = new Uint32Array(64);
    this.#capacities = new Uint32Array(64);
  }

  /** Uses the arrays without copying, also for later writes. Takes time per list, not per posting. */
  static from<P extends Payload>(flat: FlatPostings<P>): PostingPool<P> {
    const pool = new PostingPool(flat.payload);
    const lists = flat.lengths.length;
    const starts = new Uint32Array(lists);
    let used = 0;
    for (let list = 0; list < lists; list++) {
      starts[list] = used;
      used += flat.lengths[list]!;
    }
    pool.#rows = flat.rows;
    pool.#used = used;
    pool.#lists = lists;
    pool.#starts = starts;
    pool.#lengths = flat.lengths.slice();
    pool.#capacities = flat.lengths.slice();
    return pool;
  }

  get rows(): Uint32Array {
    return this.#rows;
  }

  get payload(): P {
    return this.#payload;
  }

  /** The number of postings that the arrays have been filled with. */
  get used(): number {
    return this.#used;
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

  start(list: number): number {
    return this.#starts[list]!;
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
      this.#starts = grown(this.#starts, list + 1);
      this.#lengths = grown(this.#lengths, list + 1);
      this.#capacities = grown(this.#capacities, list + 1);
    }
    return list;
  }

  /** Creates a list with the postings of another pool whose rows are in a set. */
  copy(source: PostingPool<P>, from: number, within: Bitset): number {
    const list = this.create();
    const room = this.#used + source.#lengths[from]!;
    if (room > this.#rows.length) {
      this.#rows = grown(this.#rows, room);
      this.#payload = grown(this.#payload, room);
    }
    const { words } = within;
    const start = source.#starts[from]!;
    const end = start + source.#lengths[from]!;
    let to = this.#used;
    for (let at = start; at < end; at++) {
      const row = source.#rows[at]!;
      if (!hasBit(words, row)) continue;
      this.#rows[to] = row;
      this.#payload[to++] = source.#payload[at]!;
    }
    this.#starts[list] = this.#used;
    this.#lengths[list] = to - this.#used;
    this.#capacities[list] = to - this.#used;
    this.#used = to;
    return list;
  }

  /** How many rows of a list are in a set. */
  countWithin(list: number, { words }: Bitset): number {
    const start = this.#starts[list]!;
    const end = start + this.#lengths[list]!;
    let count = 0;
    for (let at = start; at < end; at++) if (hasBit(words, this.#rows[at]!)) count++;
    return count;
  }

  /** Frees the number and the block of an empty list. */
  drop(list: number): void {
    this.release(this.#starts[list]!, this.#capacities[list]!);
    this.#capacities[list] = 0;
    this.#dropped.push(list);
  }

  /** The position of the row in `rows` and `payload`, or -1. */
  find(list: number, row: number): number {
    const at = this.#place(list, row);
    return at < this.#starts[list]! + this.#lengths[list]! && this.#rows[at] === row ? at : -1;
  }

  /** The row must not be in the list. */
  insert(list: number, row: number, value: number): void {
    const length = this.#lengths[list]!;
    if (length === this.#capacities[list]) this.#move(list, length === 0 ? 1 : 2 * length);
    const at = this.#place(list, row);
    const end = this.#starts[list]! + length;
    if (at < end) {
      this.#rows.copyWithin(at + 1, at, end);
      this.#payload.copyWithin(at + 1, at, end);
    }
    this.#rows[at] = row;
    this.#payload[at] = value;
    this.#lengths[list] = length + 1;
  }

  /** Returns false if the row is not in the list. */
  remove(list: number, row: number): boolean {
    const at = this.find(list, row);
    if (at < 0) return false;
    const end = this.#starts[list]! + this.#lengths[list]!;
    this.#rows.copyWithin(at, at + 1, end);
    this.#payload.copyWithin(at, at + 1, end);
    this.#lengths[list] = this.#lengths[list]! - 1;
    return true;
  }

  /** A block for this many postings, which no list has yet. Returns its start; its capacity is that of `capacityFor`. */
  reserve(length: number): number {
    const sizeClass = sizeClassOf(length);
    const reused = this.#free[sizeClass]?.pop();
    if (reused !== undefined) return reused;
    const start = this.#used;
    this.#used += 2 ** sizeClass;
    if (this.#used > this.#rows.length) {
      this.#rows = grown(this.#rows, this.#used);
      this.#payload = grown(this.#payload, this.#used);
    }
    return start;
  }

  /** Gives back a block that no list has. */
  release(start: number, capacity: number): void {
    if (capacity === 0) return;
    const sizeClass = 31 - Math.clz32(capacity);
    this.#free[sizeClass] ??= [];
    this.#free[sizeClass].push(start);
  }

  /** From now on the list is what was written to `start`: its own block, or one of `reserve`. */
  replace(list: number, start: number, length: number): void {
    if (start !== this.#starts[list] || this.#capacities[list] === 0) {
      this.release(this.#starts[list]!, this.#capacities[list]!);
      this.#starts[list] = start;
      this.#capacities[list] = capacityFor(length);
    }
    this.#lengths[list] = length;
  }

  /** A copy without gaps, with the lists in the given order. */
  compact(order: readonly number[]): FlatPostings<P> {
    let total = 0;
    for (const list of order) total += this.#lengths[list]!;
    const lengths = new Uint32Array(order.length);
    const rows = new Uint32Array(total);
    const payload = arrayLike(this.#payload, total);
    let to = 0;
    order.forEach((list, i) => {
      const length = this.#lengths[list]!;
      const start = this.#starts[list]!;
      lengths[i] = length;
      for (let at = start; at < start + length; at++, to++) {
        rows[to] = this.#rows[at]!;
        payload[to] = this.#payload[at]!;
      }
    });
    return { lengths, rows, payload };
  }

  /** The position of the first row of the list that is not below `row`. */
  #place(list: number, row: number): number {
    const from = this.#starts[list]!;
    const to = from + this.#lengths[list]!;
    const rows = this.#rows;
    return to > from && rows[to - 1]! < row ? to : lowerBound(rows, from, to, row);
  }

  #move(list: number, atLeast: number): void {
    const start = this.reserve(atLeast);
    const from = this.#starts[list]!;
    const length = this.#lengths[list]!;
    this.#rows.copyWithin(start, from, from + length);
    this.#payload.copyWithin(start, from, from + length);
    this.release(from, this.#capacities[list]!);
    this.#starts[list] = start;
    this.#capacities[list] = capacityFor(atLeast);
  }
}

const sizeClassOf = (length: number): number => 32 - Math.clz32(length - 1);

/** The capacity of a block for this many postings: a power of two. */
export const capacityFor = (length: number): number => 2 ** sizeClassOf(length);

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

/** A larger copy. At least doubles the size, so that growing in small steps stays cheap. */
export function grown<A extends Payload>(array: A, atLeast: number): A {
  const copy = arrayLike(array, Math.max(atLeast, 2 * array.length, 16));
  copy.set(array);
  return copy;
}

function arrayLike<A extends Payload>(array: A, size: number): A {
  return (array instanceof Uint8Array ? new Uint8Array(size) : new Uint32Array(size)) as A;
}
