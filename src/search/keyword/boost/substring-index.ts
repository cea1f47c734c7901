const BUCKET_BITS = 16;
const BUCKETS = 2 ** BUCKET_BITS;

/** Up to this many words, scanning is cheaper than building buckets. */
const MAX_SCANNED = 2048;

const NO_BUCKETS = new Uint32Array(BUCKETS + 1);

/** Words by position. */
interface Words {
  readonly length: number;
  at(position: number): string | undefined;
}

/** The bucket of the trigram at a position. Different trigrams may share a bucket, so matches are verified. */
function bucketAt(word: string, at: number): number {
  const mixed =
    word.charCodeAt(at) * 0x9e3779b1 + word.charCodeAt(at + 1) * 0x85ebca6b + word.charCodeAt(at + 2) * 0xc2b2ae35;
  return Math.imul(mixed | 0, 0x27d4eb2f) >>> (32 - BUCKET_BITS);
}

/**
 * Finds the words that contain a substring of at least three code units. Words are in one bucket per trigram. A lookup
 * scans the smallest bucket of the substring's trigrams. New words are scanned one by one until there are enough of them
 * to build the buckets again.
 */
export class SubstringIndex {
  readonly #words: Words;
  readonly #maxScanned: number;
  /** Positions of words that are in no bucket yet. */
  #unbucketed: number[];
  #starts = NO_BUCKETS;
  #members = new Uint32Array(0);

  /** The caller may change the words: call `add` for a new one. A removed one is ''. */
  constructor(words: Words, maxScanned = MAX_SCANNED) {
    this.#words = words;
    this.#maxScanned = maxScanned;
    this.#unbucketed = Array.from({ length: words.length }, (_, position) => position);
  }

  add(position: number): void {
    this.#unbucketed.push(position);
  }

  /** Positions in the list, in any order, possibly with duplicates. */
  containing(piece: string): readonly number[] {
    if (this.#unbucketed.length > this.#maxScanned) this.#build();
    let smallestBucket = bucketAt(piece, 0);
    for (let at = 1; at + 2 < piece.length; at++) {
      const bucket = bucketAt(piece, at);
      if (this.#sizeOf(bucket) < this.#sizeOf(smallestBucket)) smallestBucket = bucket;
    }
    const found: number[] = [];
    for (let at = this.#starts[smallestBucket]!; at < this.#starts[smallestBucket + 1]!; at++) {
      const position = this.#members[at]!;
      if (this.#words.at(position)!.includes(piece)) found.push(position);
    }
    for (const position of this.#unbucketed) if (this.#words.at(position)!.includes(piece)) found.push(position);
    return found;
  }

  #sizeOf(bucket: number): number {
    return this.#starts[bucket + 1]! - this.#starts[bucket]!;
  }

  /** A counting sort: count the members of each bucket, compute where each starts, then place the members. */
  #build(): void {
    const starts = new Uint32Array(BUCKETS + 1);
    for (let position = 0; position < this.#words.length; position++) {
      const word = this.#words.at(position)!;
      for (let at = 0; at + 2 < word.length; at++) starts[bucketAt(word, at) + 1]!++;
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const members = new Uint32Array(starts[BUCKETS]!);
    const next = starts.slice();
    for (let position = 0; position < this.#words.length; position++) {
      const word = this.#words.at(position)!;
      for (let at = 0; at + 2 < word.length; at++) members[next[bucketAt(word, at)]!++] = position;
    }
    this.#starts = starts;
    this.#members = members;
    this.#unbucketed = [];
  }
}
