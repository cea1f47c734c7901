/** A `Map` that takes one key more than this copies all of them. Up to here that takes some milliseconds. */
const MAX_KEYS = 2 ** 17;

/**
 * A map in layers of bounded size. A `Map` that is full copies all its keys in one step, and everything else waits: 50
 * milliseconds for half a million. Here a new layer begins. Keys that come often come early, so most lookups end in the
 * first layer.
 */
export class LayeredMap<K, V extends NonNullable<unknown>> {
  readonly #maxKeys: number;
  /** A key is in one of them. */
  readonly #layers: Map<K, V>[] = [new Map()];

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    let size = 0;
    for (const layer of this.#layers) size += layer.size;
    return size;
  }

  get(key: K): V | undefined {
    for (let at = 0; at < this.#layers.length; at++) {
      const value = this.#layers[at]!.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    for (let at = 0; at < this.#layers.length - 1; at++) {
      if (!this.#layers[at]!.has(key)) continue;
      this.#layers[at]!.set(key, value);
      return;
    }
    const last = this.#layers.at(-1)!;
    if (last.size < this.#maxKeys || last.has(key)) last.set(key, value);
    else this.#layers.push(new Map([[key, value]]));
  }

  delete(key: K): void {
    for (const layer of this.#layers) if (layer.delete(key)) return;
  }

  *keys(): Generator<K> {
    for (const layer of this.#layers) yield* layer.keys();
  }

  *values(): Generator<V> {
    for (const layer of this.#layers) yield* layer.values();
  }
}

/** The same for a set. */
export class LayeredSet<K> {
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
