type TypedArray = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** A typed array that grows. */
export class NumberColumn<T extends TypedArray> {
  #values: T;
  readonly #make: (length: number) => T;

  constructor(make: (length: number) => T, length: number) {
    this.#make = make;
    this.#values = make(Math.max(16, length));
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const larger = this.#make(Math.max(index + 1, this.#values.length * 2));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[index] = value;
  }
}
