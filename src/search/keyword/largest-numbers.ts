/**
 * Finds the n-th largest of many numbers, offered one by one. Keeps up to twice as many as wanted and throws the smaller
 * half away when there is no more room, so that a number mostly costs one comparison.
 */
export class LargestNumbers {
  #kept = new Float64Array(128);
  #size = 0;
  #wanted = 0;
  #floor = 0;

  /** Begins anew. The caller knows that the n-th largest is not below `floor`. */
  reset(wanted: number, floor: number): void {
    this.#wanted = wanted;
    this.#floor = floor;
    this.#size = 0;
  }

  /** Numbers up to this need not be offered. */
  get floor(): number {
    return this.#floor;
  }

  /** Takes a number above the floor and gives the new floor. */
  add(value: number): number {
    if (this.#size === this.#kept.length) this.#makeRoom();
    this.#kept[this.#size++] = value;
    if (this.#size >= 2 * this.#wanted) this.#cut();
    return this.#floor;
  }

  /** The n-th largest of all; the floor when fewer than n numbers were above it. */
  nth(): number {
    if (this.#size >= this.#wanted) this.#cut();
    return this.#floor;
  }

  #makeRoom(): void {
    const larger = new Float64Array(2 * this.#kept.length);
    larger.set(this.#kept);
    this.#kept = larger;
  }

  #cut(): void {
    this.#floor = moveLargestToFront(this.#kept, this.#size, this.#wanted);
    this.#size = this.#wanted;
  }
}

/** Puts the `wanted` largest of the first `size` numbers first and gives the smallest of them (Hoare's quickselect). */
function moveLargestToFront(numbers: Float64Array, size: number, wanted: number): number {
  const last = wanted - 1;
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (numbers[i]! > pivot) i++;
      while (numbers[j]! < pivot) j--;
      if (i > j) break;
      const value = numbers[i]!;
      numbers[i++] = numbers[j]!;
      numbers[j--] = value;
    }
    if (last <= j) high = j;
    else if (last >= i) low = i;
    else break;
  }
  return numbers[last]!;
}
