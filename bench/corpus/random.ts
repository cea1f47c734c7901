/** A seeded source of random numbers: the same seed gives the same corpus on every machine. */
export class Random {
  readonly #state = new Uint32Array(4);
  #spare: number | null = null;

  constructor(seed: number) {
    // SplitMix32 spreads a small seed over the state; xoshiro must not start from zeros.
    let mixed = seed >>> 0;
    for (let i = 0; i < 4; i++) {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = mixed;
      word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      this.#state[i] = word ^ (word >>> 15);
    }
  }

  /** xoshiro128** of Blackman and Vigna 2018: 32 random bits. */
  bits(): number {
    const s = this.#state;
    const product = Math.imul(s[1]!, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = s[1]! << 9;
    s[2] = s[2]! ^ s[0]!;
    s[3] = s[3]! ^ s[1]!;
    s[1] = s[1]! ^ s[2]!;
    s[0] = s[0]! ^ s[3]!;
    s[2] = s[2]! ^ shifted;
    s[3] = (s[3]! << 11) | (s[3]! >>> 21);
    return result;
  }

  /** In [0, 1). */
  unit(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.unit() * values.length)]!;
  }

  /** Mean 0, deviation 1: Marsaglia's polar method, which makes two at a time. */
  gaussian(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    for (;;) {
      const x = 2 * this.unit() - 1;
      const y = 2 * this.unit() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spare = y * scale;
      return x * scale;
    }
  }
}

/** Draws ranks 0 to `count` - 1, rank r with a weight of 1 / (r + 1 + shift)^exponent (Mandelbrot 1953). */
export class Zipf {
  readonly #upTo: Float64Array;

  constructor(count: number, exponent: number, shift = 0) {
    this.#upTo = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank++) {
      sum += 1 / (rank + 1 + shift) ** exponent;
      this.#upTo[rank] = sum;
    }
  }

  draw(random: Random): number {
    const upTo = this.#upTo;
    const wanted = random.unit() * upTo[upTo.length - 1]!;
    let low = 0;
    let high = upTo.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (upTo[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
