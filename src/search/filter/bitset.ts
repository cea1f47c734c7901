/** The number of bits that are set in a word of 32. */
export function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Whether a row is in the words of a `Bitset`. */
export function hasBit(words: Uint32Array, row: number): boolean {
  const word = row >>> 5;
  return word < words.length && (words[word]! & (1 << (row & 31))) !== 0;
}

/** A set of row numbers, one bit each. It grows as needed. */
export class Bitset {
  #words: Uint32Array;
  #version = 0;

  constructor(size = 0) {
    this.#words = new Uint32Array((size + 31) >>> 5);
  }

  /** The bits, 32 rows to a word, lowest bit first. Valid until the next `add`. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** Increases with every change. Cache results of a set by its version. */
  get version(): number {
    return this.#version;
  }

  has(row: number): boolean {
    const word = this.#words[row >>> 5];
    return word !== undefined && (word & (1 << (row & 31))) !== 0;
  }

  add(row: number): void {
    this.#version++;
    const at = row >>> 5;
    if (at >= this.#words.length) this.#grow(Math.max(at + 1, this.#words.length * 2, 8));
    this.#words[at] = this.#words[at]! | (1 << (row & 31));
  }

  delete(row: number): void {
    this.#version++;
    const at = row >>> 5;
    if (at < this.#words.length) this.#words[at] = this.#words[at]! & ~(1 << (row & 31));
  }

  /** Adds or deletes the row. */
  set(row: number, isIn: boolean): void {
    if (isIn) this.add(row);
    else this.delete(row);
  }

  /** The number of rows in the set. */
  count(): number {
    let total = 0;
    for (const word of this.#words) total += countBits(word);
    return total;
  }

  /** The number of rows that are in both sets. */
  countWith(other: Bitset): number {
    const words = other.#words;
    const size = Math.min(this.#words.length, words.length);
    let total = 0;
    for (let i = 0; i < size; i++) total += countBits(this.#words[i]! & words[i]!);
    return total;
  }

  /** Removes the rows that are not in the other set. */
  intersect(other: Bitset): this {
    this.#version++;
    const words = other.#words;
    for (let i = 0; i < this.#words.length; i++) this.#words[i] = this.#words[i]! & (words[i] ?? 0);
    return this;
  }

  /** Adds every row of the other set. */
  union(other: Bitset): this {
    this.#version++;
    const words = other.#words;
    if (words.length > this.#words.length) this.#grow(words.length);
    for (let i = 0; i < words.length; i++) this.#words[i] = this.#words[i]! | words[i]!;
    return this;
  }

  clone(): Bitset {
    const copy = new Bitset();
    copy.#words = this.#words.slice();
    return copy;
  }

  /** Rows in ascending order. */
  *[Symbol.iterator](): Generator<number> {
    for (let at = 0; at < this.#words.length; at++) {
      let word = this.#words[at]!;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        yield (at << 5) + bit;
        word &= word - 1;
      }
    }
  }

  #grow(size: number): void {
    const grown = new Uint32Array(size);
    grown.set(this.#words);
    this.#words = grown;
  }

  static of(rows: Iterable<number>): Bitset {
    const set = new Bitset();
    for (const row of rows) set.add(row);
    return set;
  }
}
