/** At least this many numbers fit. A power of two. */
const MIN_SIZE = 512;
/** Multiplying by it spreads consecutive numbers over all slots (Knuth: 2^32 divided by the golden ratio). */
const SPREAD = 0x9e3779b1;

/**
 * The place of each of some numbers, such as rows, in a list. A hash table that is hardly larger than what it holds, so that
 * it stays in the processor's cache, which a table of all rows does not. Reuse one object for many searches, but a search
 * must not wait while it fills one: another one would clear it.
 */
export class Places {
  /** Slot by slot: a number plus 1, or 0 if the slot is free, and its place. */
  #slots = new Uint32Array(4 * MIN_SIZE);
  #count = 0;

  clear(): void {
    if (this.#slots.length > 4 * MIN_SIZE) this.#slots = new Uint32Array(4 * MIN_SIZE);
    else if (this.#count > 0) this.#slots.fill(0);
    this.#count = 0;
  }

  /** -1 for a number that is not there. */
  get(number: number): number {
    const slots = this.#slots;
    const slot = this.#slotOf(number);
    return slots[slot] === 0 ? -1 : slots[slot + 1]!;
  }

  /** The place of the number. If it has none yet, it gets this one. */
  getOrSet(number: number, place: number): number {
    const slots = this.#slots;
    const slot = this.#slotOf(number);
    if (slots[slot] !== 0) return slots[slot + 1]!;
    slots[slot] = number + 1;
    slots[slot + 1] = place;
    this.#count++;
    if (4 * this.#count > slots.length) this.#grow();
    return place;
  }

  /** The slot of the number, or the free one where it belongs. */
  #slotOf(number: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (Math.imul(number, SPREAD) >>> 8) & mask & ~1;
    while (slots[slot] !== 0 && slots[slot] !== number + 1) slot = (slot + 2) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    this.#count = 0;
    for (let slot = 0; slot < old.length; slot += 2) if (old[slot] !== 0) this.getOrSet(old[slot]! - 1, old[slot + 1]!);
  }
}
