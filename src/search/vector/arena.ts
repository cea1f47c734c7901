import { DowserError } from '../../model/errors.ts';

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

/** Allocates blocks of one linear memory, filled with zeros. Blocks are never freed. */
export class Arena {
  readonly memory: LinearMemory;
  readonly #maxBytes: number;
  #used = ALIGN; // so that no block has the address 0
  #i8!: Int8Array;
  #u8!: Uint8Array;
  #i16!: Int16Array;
  #i32!: Int32Array;
  #u32!: Uint32Array;
  #f32!: Float32Array;
  #f64!: Float64Array;

  /** `maxBytes`: the maximum size of the memory. */
  constructor(memory: LinearMemory, maxBytes = MAX_BYTES) {
    this.memory = memory;
    this.#maxBytes = Math.min(maxBytes, MAX_BYTES);
    this.#view();
  }

  /** Views of the whole memory. The index is the address divided by the element size. Invalid after the next `allocate`. */
  get i8(): Int8Array {
    return this.#i8;
  }
  get u8(): Uint8Array {
    return this.#u8;
  }
  get i16(): Int16Array {
    return this.#i16;
  }
  get i32(): Int32Array {
    return this.#i32;
  }
  get u32(): Uint32Array {
    return this.#u32;
  }
  get f32(): Float32Array {
    return this.#f32;
  }
  get f64(): Float64Array {
    return this.#f64;
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

  #view(): void {
    const { buffer } = this.memory;
    this.#i8 = new Int8Array(buffer);
    this.#u8 = new Uint8Array(buffer);
    this.#i16 = new Int16Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#f32 = new Float32Array(buffer);
    this.#f64 = new Float64Array(buffer);
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
