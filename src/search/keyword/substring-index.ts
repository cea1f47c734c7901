const BUCKET_BITS = 16;
const BUCKETS = 2 ** BUCKET_BITS;

/** So few words are looked through one by one in less time than it takes to look after buckets for them. */
const SCAN_UP_TO = 2048;

const NO_BUCKETS = new Uint32Array(BUCKETS + 1);

/** The bucket of the three code units at a position. Different triples may share one: hits are always verified. */
function bucketAt(word: string, at: number): number {
  const mixed =
    word.charCodeAt(at) * 0x9e3779b1 + word.charCodeAt(at + 1) * 0x85ebca6b + word.charCodeAt(at + 2) * 0xc2b2ae35;
  return Math.imul(mixed | 0, 0x27d4eb2f) >>> (32 - BUCKET_BITS);
}

/**
 * Finds the words that contain a piece of text of at least three code units. Words are bucketed by every three
 * neighboring units; a piece is looked up in the smallest bucket of its own. Buckets are made in one go when enough new
 * words have come; until then new words are looked through.
 */
export class SubstringIndex {
  readonly #words: readonly (string | undefined)[];
  readonly #scanUpTo: number;
  /** Positions that are in no bucket. */
  #recent: number[];
  #starts = NO_BUCKETS;
  #members = new Uint32Array(0);

  /** The owner of the list may change it: a word that comes must be told by `add`, one that goes becomes undefined. */
  constructor(words: readonly (string | undefined)[], scanUpTo = SCAN_UP_TO) {
    this.#words = words;
    this.#scanUpTo = scanUpTo;
    this.#recent = [...words.keys()];
  }

  /** The list has a new word at this position. */
  add(position: number): void {
    this.#recent.push(position);
  }

  /** Positions in the list, in no order; one may come twice. */
  containing(piece: string): readonly number[] {
    if (this.#recent.length > this.#scanUpTo) this.#build();
    let smallest = bucketAt(piece, 0);
    for (let at = 1; at + 2 < piece.length; at++) {
      const bucket = bucketAt(piece, at);
      if (this.#sizeOf(bucket) < this.#sizeOf(smallest)) smallest = bucket;
    }
    const found: number[] = [];
    for (let at = this.#starts[smallest]!; at < this.#starts[smallest + 1]!; at++) {
      const position = this.#members[at]!;
      if (this.#words[position]?.includes(piece) === true) found.push(position);
    }
    for (const position of this.#recent) if (this.#words[position]?.includes(piece) === true) found.push(position);
    return found;
  }

  #sizeOf(bucket: number): number {
    return this.#starts[bucket + 1]! - this.#starts[bucket]!;
  }

  /** Counting sort: how many members each bucket has, where it starts, then every member into its place. */
  #build(): void {
    const starts = new Uint32Array(BUCKETS + 1);
    for (const word of this.#words) {
      if (word !== undefined) for (let at = 0; at + 2 < word.length; at++) starts[bucketAt(word, at) + 1]!++;
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
    const members = new Uint32Array(starts[BUCKETS]!);
    const next = starts.slice();
    this.#words.forEach((word, position) => {
      if (word !== undefined)
        for (let at = 0; at + 2 < word.length; at++) members[next[bucketAt(word, at)]!++] = position;
    });
    this.#starts = starts;
    this.#members = members;
    this.#recent = [];
  }
}
