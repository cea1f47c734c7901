/**
 * Rows in the order of their unit ids. A queue asks for the first ones again and again, so the order is kept: only rows that
 * came since are sorted, and those at the front that no longer wait are skipped once.
 */
export class WaitingOrder {
  /** Sorted. May have rows that no longer wait. */
  #sorted: number[] = [];
  /** Where to start in it: no row before waits. */
  #start = 0;
  readonly #added = new Set<number>();

  /** Call it when a row begins to wait. Its unit may be another one than before. */
  add(row: number): void {
    this.#added.add(row);
  }

  /** Call it when a row no longer waits, so that a long run of writes with vectors keeps nothing here. */
  delete(row: number): void {
    this.#added.delete(row);
  }

  *rows(isWaiting: (row: number) => boolean, compare: (a: number, b: number) => number): Generator<number> {
    if (this.#added.size > 0) this.#merge(isWaiting, compare);
    const sorted = this.#sorted;
    while (this.#start < sorted.length && !isWaiting(sorted[this.#start]!)) this.#start++;
    for (let at = this.#start; at < sorted.length; at++) if (isWaiting(sorted[at]!)) yield sorted[at]!;
  }

  #merge(isWaiting: (row: number) => boolean, compare: (a: number, b: number) => number): void {
    const added = [...this.#added].filter(isWaiting).sort(compare);
    const merged: number[] = [];
    let next = 0;
    for (let at = this.#start; at < this.#sorted.length; at++) {
      const row = this.#sorted[at]!;
      if (this.#added.has(row) || !isWaiting(row)) continue;
      while (next < added.length && compare(added[next]!, row) < 0) merged.push(added[next++]!);
      merged.push(row);
    }
    while (next < added.length) merged.push(added[next++]!);
    this.#sorted = merged;
    this.#start = 0;
    this.#added.clear();
  }
}
