type TypedArray = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** A typed array that grows. */
export class NumberColumn<T extends TypedArray> {
  #values: T;
  readonly #make: (length: number) => T;

  /** Takes over `values`, or begins with `length` zeros. */
  constructor(make: (length: number) => T, values: T | number) {
    this.#make = make;
    this.#values = typeof values === 'number' ? make(values) : values;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const larger = this.#make(Math.max(index + 1, this.#values.length * 2, 16));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[index] = value;
  }
}
