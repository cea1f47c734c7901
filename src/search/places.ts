/**
 * Places in a list by a number such as a row. Shared by all searches, because filling a map takes longer than finding what it
 * is filled with. Nothing is cleared: a place counts only if the list has the number there. So a search must not wait while
 * it fills its list: another one would put its own places here.
 */
export class Places {
  #places = new Int32Array(1024);

  /** Where the number was last put, perhaps in another list. 0 if nowhere: reading a list at -1 is slow. */
  get(number: number): number {
    return this.#places[number] ?? 0;
  }

  set(number: number, place: number): void {
    if (number >= this.#places.length) {
      const longer = new Int32Array(2 * number);
      longer.set(this.#places);
      this.#places = longer;
    }
    this.#places[number] = place;
  }
}
