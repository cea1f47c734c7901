/** Anything that is kept for a while and may be lost. The oldest goes first when there are too many. */
export class Sessions<S> {
  readonly #kept = new Map<string, { readonly state: S; readonly until: number }>();
  readonly #max: number;
  readonly #ttlMs: number;

  constructor({ max, ttlMs }: { readonly max: number; readonly ttlMs: number }) {
    this.#max = max;
    this.#ttlMs = ttlMs;
  }

  /** A state that is put again is as new as a new one. */
  put(id: string, state: S, now: number): void {
    this.#kept.delete(id);
    for (const [old, { until }] of this.#kept) {
      if (until > now && this.#kept.size < this.#max) break;
      this.#kept.delete(old);
    }
    this.#kept.set(id, { state, until: now + this.#ttlMs });
  }

  get(id: string, now: number): S | undefined {
    const found = this.#kept.get(id);
    return found === undefined || found.until <= now ? undefined : found.state;
  }

  get size(): number {
    return this.#kept.size;
  }
}
