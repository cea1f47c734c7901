import { DowserError } from '../../model/errors/errors.ts';

const PAGE_BYTES = 65536;
/** The limit of 32-bit addresses. */
const MAX_BYTES = 65536 * PAGE_BYTES;
/** The size of a cache line. Allocations never share one. */
const ALIGN = 64;
/** Memory grows by at least 1 / MIN_GROWTH, because each growth takes tenths of a millisecond. Unused pages cost nothing. */
const MIN_GROWTH = 8;

/** Memory that grows at its end. `WebAssembly.Memory` implements it and grows without copying. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): unknown;
}

/** Allocates blocks of one linear memory, filled with zeros. Blocks are never freed, except by `allocateAll`. */
export class Arena {
  readonly memory: LinearMemory;
  readonly #maxBytes: number;
  #used = ALIGN; // so that no block has the address 0
  /** Views of the whole memory. The index is the address divided by the element size. Invalid after the next `allocate`. */
  readonly i8!: Int8Array;
  readonly u8!: Uint8Array;
  readonly i16!: Int16Array;
  readonly i32!: Int32Array;
  readonly u32!: Uint32Array;
  readonly f32!: Float32Array;
  readonly f64!: Float64Array;

  /** `maxBytes`: the maximum size of the memory. */
  constructor(memory: LinearMemory, maxBytes = MAX_BYTES) {
    this.memory = memory;
    this.#maxBytes = Math.min(maxBytes, MAX_BYTES);
    this.#view();
  }

  allocate(bytes: number): number {
    const address = this.#used;
    const end = address + Math.ceil(bytes / ALIGN) * ALIGN;
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) {
      if (end > this.#maxBytes) throw tooLarge(end);
      const spare = Math.min(
        this.memory.buffer.byteLength / MIN_GROWTH,
        this.#maxBytes - this.memory.buffer.byteLength,
      );
      try {
        this.memory.grow(Math.ceil(Math.max(missing, spare) / PAGE_BYTES));
      } catch (cause) {
        throw tooLarge(end, cause);
      }
      this.#view();
    }
    this.#used = end;
    return address;
  }

  /** Frees the blocks that `work` has allocated if it throws. They must not have been written to. */
  allocateAll<T>(work: () => T): T {
    const used = this.#used;
    try {
      return work();
    } catch (error) {
      this.#used = used;
      throw error;
    }
  }

  #view(): void {
    const { buffer } = this.memory;
    Object.assign(this, {
      i8: new Int8Array(buffer),
      u8: new Uint8Array(buffer),
      i16: new Int16Array(buffer),
      i32: new Int32Array(buffer),
      u32: new Uint32Array(buffer),
      f32: new Float32Array(buffer),
      f64: new Float64Array(buffer),
    });
  }
}

/** Memory for runtimes without WebAssembly. Copies everything when it grows, so it doubles its size. */
export class CopyingMemory implements LinearMemory {
  #buffer = new ArrayBuffer(PAGE_BYTES);

  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  grow(pages: number): void {
    const before = this.#buffer;
    this.#buffer = new ArrayBuffer(Math.max(before.byteLength + pages * PAGE_BYTES, before.byteLength * 2));
    new Uint8Array(this.#buffer).set(new Uint8Array(before));
  }
}

function tooLarge(bytes: number, cause?: unknown): DowserError {
  return new DowserError('STORE_FULL', `The vector index cannot grow to ${bytes} bytes of memory.`, {
    hint: 'Use vectors of fewer dimensions, or an engine that keeps them on other machines.',
    cause,
  });
}
