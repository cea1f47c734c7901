import { describe, expect, test } from 'vitest';
import { Arena } from './arena.ts';
import { CODE_HEADER_BYTES, type Kernel, MAX_KEY, MAX_SUM, NO_KEY } from './kernel.ts';
import { KERNEL_BASE64 } from './kernel-bytes.ts';
import { plainKernel } from './plain-kernel.ts';
import { rotationFor } from './vector-store.ts';
import { openWasmKernel, openWasmMemory } from './wasm-kernel.ts';

const ROWS = 64;
const COLUMNS = 16;
/** Bytes from one column to the next: two rows per byte, plus a gap. */
const STRIDE = ROWS / 2 + 8;

/** Random rows with their codes and sketches, computed by one kernel. */
function setUp(kind: 'wasm' | 'plain', width: number) {
  const arena = new Arena(openWasmMemory()!);
  const kernel: Kernel = kind === 'wasm' ? openWasmKernel(arena.memory)! : plainKernel(arena);
  const { bits, rounds, span, factors } = rotationFor(width);
  const at = {
    factors: arena.allocate(factors.byteLength),
    work: arena.allocate(bits * 4),
    blocks: arena.allocate(4),
    rows: arena.allocate(ROWS * 4),
    keys: arena.allocate(ROWS * 2 + 64),
    out: arena.allocate(ROWS * 8),
    words: arena.allocate(ROWS / 8),
    query: arena.allocate(width * 8),
    sums: arena.allocate(ROWS),
    columns: arena.allocate(COLUMNS * 4),
    tables: arena.allocate(COLUMNS * 16),
    vectors: arena.allocate(1024 * width * 4),
    codes: arena.allocate(1024 * (width + CODE_HEADER_BYTES)),
    sketch: arena.allocate((bits / 4) * STRIDE),
  };
  let state = width;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
  arena.f32.set(factors, at.factors / 4);
  arena.u32[at.blocks / 4] = at.vectors;
  for (let row = 0; row < ROWS; row++) {
    arena.u32[at.rows / 4 + row] = (row * 37) % ROWS;
    // A zero row, and rows of very different lengths.
    const length = row === 5 ? 0 : 10 ** ((row % 5) - 3);
    for (let i = 0; i < width; i++) arena.f32[at.vectors / 4 + row * width + i] = next() * length;
  }
  for (let row = 0; row < ROWS; row++) {
    const vector = at.vectors + row * width * 4;
    kernel.quantizeRow(vector, at.codes + row * (width + CODE_HEADER_BYTES), width);
    // First write another row's sketch: the old bits must not remain.
    const other = at.vectors + (ROWS - 1 - row) * width * 4;
    for (const from of [other, vector]) {
      kernel.sketchRow(from, width, at.work, bits, at.factors, rounds, span, at.sketch, STRIDE, row);
    }
  }
  return { arena, kernel, at, bits, rounds, span, next };
}

describe.each([32, 384, 416, 1024])('at a width of %d', (width) => {
  const wasm = setUp('wasm', width);
  const plain = setUp('plain', width);
  const both = [wasm, plain];

  function same(kind: 'u8' | 'i16' | 'u32' | 'f64', from: number, count: number) {
    const [a, b] = both.map(({ arena }) => Array.from(arena[kind].subarray(from, from + count)));
    expect(a).toEqual(b);
    return a!;
  }

  test('both kernels compute the same codes and sketches', () => {
    same('u8', wasm.at.codes, ROWS * (width + CODE_HEADER_BYTES));
    const sketches = same('u8', wasm.at.sketch, (wasm.bits / 4) * STRIDE);
    expect(new Set(sketches).size).toBeGreaterThan(100);
  });

  test('a sketch has the signs of the rotated vector, 4 per column', () => {
    const { arena, kernel, at, bits, rounds, span } = wasm;
    for (const row of [0, 15, 16, 31, 32, 63]) {
      arena.f32.fill(0, at.work / 4, at.work / 4 + bits);
      arena.f32.copyWithin(at.work / 4, at.vectors / 4 + row * width, at.vectors / 4 + (row + 1) * width);
      kernel.rotate(at.work, bits, at.factors, rounds, span);
      for (let i = 0; i < bits; i++) {
        const byte = arena.u8[at.sketch + (i >>> 2) * STRIDE + (row >>> 5) * 16 + (row % 16)]!;
        const signs = row % 32 < 16 ? byte & 15 : byte >>> 4;
        expect((signs >>> (i % 4)) & 1).toBe(arena.f32[at.work / 4 + i]! < 0 ? 1 : 0);
      }
    }
  });

  test('a residual is the length of the quantization error, or slightly more', () => {
    const { arena, at } = wasm;
    for (let row = 0; row < ROWS; row++) {
      const header = at.codes + row * (width + CODE_HEADER_BYTES);
      const [scale, residual] = arena.f32.subarray(header / 4, header / 4 + 2);
      let squares = 0;
      for (let i = 0; i < width; i++) {
        squares +=
          (arena.f32[at.vectors / 4 + row * width + i]! - scale! * arena.i8[header + CODE_HEADER_BYTES + i]!) ** 2;
      }
      expect(residual).toBeGreaterThan(Math.sqrt(squares));
      expect(residual).toBeLessThan(Math.sqrt(squares) * 1.001 + 1e-6);
    }
  });

  test('a rotation keeps lengths and angles', () => {
    const { arena, kernel, at, bits, rounds, span } = wasm;
    const rotated = [0, 1].map((row) => {
      const from = at.vectors / 4 + row * width;
      const values = Float32Array.from({ length: bits }, (_, i) => (i < width ? arena.f32[from + i]! : 0));
      arena.f32.set(values, at.work / 4);
      kernel.rotate(at.work, bits, at.factors, rounds, span);
      return [values, arena.f32.slice(at.work / 4, at.work / 4 + bits)] as const;
    });
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
    const [[a, rotatedA], [b, rotatedB]] = rotated as [(typeof rotated)[0], (typeof rotated)[0]];
    expect(dot(rotatedA, rotatedA) / dot(a, a)).toBeCloseTo(1, 5);
    expect(dot(rotatedA, rotatedB) / Math.sqrt(dot(a, a) * dot(b, b))).toBeCloseTo(
      dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)),
      5,
    );
  });

  test('both kernels compute the same scores and bounds', () => {
    for (const { arena, kernel, at, next } of both) {
      for (let i = 0; i < width; i++) arena.f64[at.query / 8 + i] = next();
      kernel.scoreRows(at.rows, ROWS, at.out, at.query, at.blocks, width);
    }
    expect(new Set(same('f64', wasm.at.out / 8, ROWS)).size).toBeGreaterThan(20);
    for (const { arena, kernel, at, next } of both) {
      for (let i = 0; i < width; i++) arena.i16[at.query / 2 + i] = next() * 32767;
      const offset = at.codes - at.vectors;
      kernel.boundRows(at.rows, ROWS, at.keys, at.query, at.blocks, offset, width, 3e-7, 1.001, 1e-6);
    }
    expect(new Set(same('i16', wasm.at.keys / 2, ROWS)).size).toBeGreaterThan(20);
  });

  test('both kernels compute the sums of the tables', () => {
    for (const { arena, kernel, at, bits, next } of both) {
      for (let i = 0; i < COLUMNS; i++) arena.u32[at.columns / 4 + i] = (i * 5 + 3) % (bits / 4);
      for (let i = 0; i < COLUMNS * 16; i++) arena.u8[at.tables + i] = Math.abs(next()) * (MAX_SUM / COLUMNS);
      arena.u8.fill(7, at.sums, at.sums + ROWS);
      // The first half from zero, the second half added to it.
      const half = COLUMNS / 2;
      kernel.sumColumns(at.sketch, STRIDE, 2, at.columns, at.tables, half, at.sums, 0);
      kernel.sumColumns(at.sketch, STRIDE, 2, at.columns + half * 4, at.tables + half * 16, half, at.sums, 1);
    }
    const { arena, at } = wasm;
    const sums = same('u8', at.sums, ROWS);
    expect(new Set(sums).size).toBeGreaterThan(20);
    for (let row = 0; row < ROWS; row++) {
      let sum = 0;
      for (let i = 0; i < COLUMNS; i++) {
        const column = at.sketch + arena.u32[at.columns / 4 + i]! * STRIDE;
        const byte = arena.u8[column + (row >>> 5) * 16 + (row % 16)]!;
        sum += arena.u8[at.tables + i * 16 + (row % 32 < 16 ? byte & 15 : byte >>> 4)]!;
      }
      expect(sums[row]).toBe(sum);
    }
  });

  test('both kernels count and collect the same sums', () => {
    const kept = both.map(({ arena, kernel, at, next }) => {
      for (let i = 0; i < ROWS; i++) arena.u8[at.sums + i] = i % 9 === 0 ? MAX_SUM : Math.abs(next()) * 256;
      arena.u8[at.sums + 1] = 0;
      arena.u32.set([0xffff_fffe, 0x0f0f_00ff], at.words / 4);
      const sums = Array.from(arena.u8.subarray(at.sums, at.sums + ROWS));
      const lists = [
        [0, MAX_SUM],
        [100, 180],
        [MAX_SUM, MAX_SUM],
        [0, 0],
      ].map(([low, high]) => {
        const count = kernel.collectSums(at.sums, at.words, 2, low!, high!, at.out);
        return Array.from(arena.u32.subarray(at.out / 4, at.out / 4 + count));
      });
      const counts = [0, 100, MAX_SUM].flatMap((low) =>
        [1, 2].map((stride) => kernel.countSums(at.sums, at.words, 2, stride, low)),
      );
      return { sums, lists, counts };
    });
    expect(kept[0]).toEqual(kept[1]);
    const { sums, lists, counts } = kept[0]!;
    const words = [0xffff_fffe, 0x0f0f_00ff];
    const within = (low: number, high: number) =>
      sums.flatMap((sum, row) => ((words[row >>> 5]! >>> (row % 32)) & 1 && sum >= low && sum <= high ? [row] : []));
    expect(lists).toEqual([within(0, 255), within(100, 180), within(255, 255), within(0, 0)]);
    const rows = [0, 100, 255].map((low) => within(low, 255));
    expect(counts).toEqual(rows.flatMap((list) => [list.length, list.filter((row) => row < 32).length]));
  });

  test('both kernels count and collect the same keys', () => {
    const kept = both.map(({ arena, kernel, at, next }) => {
      for (let i = 0; i < ROWS; i++) arena.i16[at.keys / 2 + i] = i % 9 === 0 ? NO_KEY : next() * 32768;
      arena.i16.set([MAX_KEY, NO_KEY + 1], at.keys / 2 + 1);
      arena.i16.fill(NO_KEY, at.keys / 2 + 50, at.keys / 2 + ROWS);
      const lists = [
        [NO_KEY + 1, MAX_KEY],
        [-1000, 20000],
        [MAX_KEY, MAX_KEY],
        [5, 4],
      ].map(([low, high]) => {
        const count = kernel.collectKeys(at.keys, 50, low!, high!, at.rows, at.out);
        return Array.from(arena.u32.subarray(at.out / 4, at.out / 4 + count));
      });
      return { lists, counts: [NO_KEY + 1, 0, 1, MAX_KEY].map((low) => kernel.countKeys(at.keys, 50, low)) };
    });
    expect(kept[0]).toEqual(kept[1]);
    expect(kept[0]!.counts[0]).toBe(kept[0]!.lists[0]!.length);
    expect(kept[0]!.lists[2]).toEqual([37]);
    expect(kept[0]!.lists[3]).toEqual([]);
  });
});

test('this runtime has SIMD, so the tests above compare two kernels', () => {
  expect(openWasmKernel(openWasmMemory()!)).not.toBeNull();
});

test('kernel-bytes.ts is compiled from kernel.wat', async () => {
  const script = new URL('../../../scripts/build-kernel.mjs', import.meta.url).href;
  const { buildKernel } = (await import(script)) as { buildKernel(): Promise<string> };
  expect(await buildKernel()).toContain(`'${KERNEL_BASE64}'`);
});
