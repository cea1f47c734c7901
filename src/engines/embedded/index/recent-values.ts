/** Values by key. With more than `max`, the one that was not used for the longest time is dropped. */
export class RecentValues<V, K = string> {
  readonly #max: number;
  readonly #values = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** Returns the value. */
  add(key: K, value: V): V {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#max) this.#values.delete(this.#values.keys().next().value!);
    return value;
  }

  values(): Iterable<V> {
    return this.#values.values();
  }

  clear(): void {
    this.#values.clear();
  }
}
