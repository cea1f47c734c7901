/** A `Map` that is full copies all its keys in one step, and everything else waits: a millisecond for so many. */
const MAX_FIRST_KEYS = 2 ** 14;
/** With a million keys, each part has about as many as the first layer. They do not become full at the same time. */
export const PARTS = 64;

/**
 * A map in two layers, so that it never copies many keys in one step: a `Map` of half a million takes 50 milliseconds. The first
 * keys are in one `Map`. Later ones are in many, by a hash. Keys that come often come early, so most lookups need no hash.
 */
export class LayeredMap<K extends string, V extends NonNullable<unknown>> {
  readonly #maxFirstKeys: number;
  /** Takes no new keys once it was full. */
  readonly #first = new Map<K, V>();
  /** Empty until the first layer is full. */
  #parts: readonly Map<K, V>[] = [];
  #size = 0;

  constructor(maxFirstKeys = MAX_FIRST_KEYS) {
    this.#maxFirstKeys = maxFirstKeys;
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    const value = this.#first.get(key);
    return value !== undefined || this.#parts.length === 0 ? value : this.#parts[partOf(key)]!.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    const map = this.#mapFor(key);
    const before = map.size;
    map.set(key, value);
    this.#size += map.size - before;
  }

  delete(key: K): void {
    if (this.#first.delete(key) || this.#parts[partOf(key)]?.delete(key)) this.#size--;
  }

  /** In no order. */
  *keys(): Generator<K> {
    yield* this.#first.keys();
    for (const part of this.#parts) yield* part.keys();
  }

  /** The map that has the key or, if none has it, that takes it. */
  #mapFor(key: K): Map<K, V> {
    if (this.#parts.length === 0) {
      if (this.#first.size < this.#maxFirstKeys || this.#first.has(key)) return this.#first;
      this.#parts = Array.from({ length: PARTS }, () => new Map());
    } else if (this.#first.has(key)) return this.#first;
    return this.#parts[partOf(key)]!;
  }
}

/** The number of the part of a key: six high bits of its hash (FNV-1a), mixed once more for keys of two characters. */
export function partOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 16) % PARTS;
}

/** The same for a set. */
export class LayeredSet<K extends string> {
  readonly #map = new LayeredMap<K, true>();

  get size(): number {
    return this.#map.size;
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  add(key: K): void {
    this.#map.set(key, true);
  }

  delete(key: K): void {
    this.#map.delete(key);
  }

  [Symbol.iterator](): Generator<K> {
    return this.#map.keys();
  }
}
