import { arrayLike, type Numbers, resized } from '../../rows/grown.ts';

/** Postings of many lists: rows, and the payload of each. */
export interface PostingPage<P extends Numbers> {
  readonly rows: Uint32Array;
  readonly payload: P;
}

/** A copy of a page takes tenths of a millisecond. */
const PAGE_POSTINGS = 2 ** 18;

/** A block is a place in a page, as one number: the number of the page times this, plus the start. */
const PAGE_SPAN = 2 ** 32;

export const blockAt = (page: number, start: number): number => page * PAGE_SPAN + start;
export const pageOf = (block: number): number => Math.floor(block / PAGE_SPAN);
export const startOf = (block: number): number => block % PAGE_SPAN;

/**
 * Blocks of postings in pages. A small first page grows. Later a new page is added: the copy of all postings to a larger array
 * would stop everything else for longer the more there are. A block that is longer than a page has one of its own.
 */
export class PostingPages<P extends Numbers> {
  readonly #pages: PostingPage<P>[];
  readonly #pagePostings: number;
  /** Where the next block of the last page begins. */
  #end: number;
  #used: number;
  /** Unused blocks by size: a block at index n can hold at least 2^n postings. */
  readonly #free: number[][] = [];

  /** Uses the arrays as its first page, without copying. The first `used` postings are a block. */
  constructor(rows: Uint32Array, payload: P, used = 0, pagePostings = PAGE_POSTINGS) {
    this.#pages = [{ rows, payload }];
    this.#pagePostings = pagePostings;
    this.#end = used;
    this.#used = used;
  }

  /** Valid until the next `reserve`. */
  at(page: number): PostingPage<P> {
    return this.#pages[page]!;
  }

  /** The number of postings of all blocks. */
  get used(): number {
    return this.#used;
  }

  /** A block for this many postings. Its capacity is that of `capacityFor`. */
  reserve(length: number): number {
    const reused = this.#free[sizeClassOf(length)]?.pop();
    if (reused !== undefined) return reused;
    const capacity = capacityFor(length);
    this.nextPage(capacity);
    return this.take(capacity);
  }

  /** Gives back a block. */
  release(block: number, capacity: number): void {
    if (capacity === 0) return;
    const sizeClass = 31 - Math.clz32(capacity);
    this.#free[sizeClass] ??= [];
    this.#free[sizeClass].push(block);
  }

  /** Whether the last page has room for this many postings. */
  hasRoom(length: number): boolean {
    return this.#end + length <= this.#pages.at(-1)!.rows.length;
  }

  /** The page where the next new block begins at `nextStart`, with room for this many postings. */
  nextPage(length: number): PostingPage<P> {
    const number = this.#pages.length - 1;
    const last = this.#pages[number]!;
    const needed = this.#end + length;
    if (needed <= last.rows.length) return last;
    if (needed <= this.#pagePostings) {
      const size = Math.min(Math.max(needed, 2 * last.rows.length, 16), this.#pagePostings);
      this.#pages[number] = { rows: resized(last.rows, size), payload: resized(last.payload, size) };
      return this.#pages[number];
    }
    this.#releaseRest(last.rows.length);
    const size = Math.max(length, this.#pagePostings);
    const page = { rows: new Uint32Array(size), payload: arrayLike(last.payload, size) };
    this.#pages.push(page);
    return page;
  }

  get nextStart(): number {
    return this.#end;
  }

  /** The next new block, with exactly this many postings. Call `nextPage` first. */
  take(length: number): number {
    const block = blockAt(this.#pages.length - 1, this.#end);
    this.#end += length;
    this.#used += length;
    return block;
  }

  /** Lets later blocks use the end of the last page, which is too short for the next one. */
  #releaseRest(end: number): void {
    while (this.#end < end) {
      const capacity = 2 ** (31 - Math.clz32(end - this.#end));
      this.release(blockAt(this.#pages.length - 1, this.#end), capacity);
      this.#end += capacity;
    }
    this.#end = 0;
  }
}

const sizeClassOf = (length: number): number => 32 - Math.clz32(length - 1);

/** The capacity of a block for this many postings: a power of two. */
export const capacityFor = (length: number): number => 2 ** sizeClassOf(length);
