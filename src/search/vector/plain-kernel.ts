import type { Arena } from './arena.ts';
import { BLOCK_ROWS, CODE_HEADER_BYTES, GROUP_ROWS, KEYS_PER_COSINE, type Kernel } from './kernel.ts';

/** Adding and subtracting it rounds an f32 below 2^22 to the nearest integer, ties to even, as SIMD does. */
const ROUND_MAGIC = 12582912; // 1.5 * 2^23

/** Correct the rounding errors of a residual in f32, so that it is never too small: relative and absolute. */
const RESIDUAL_GROWTH = Math.fround(1.0001);
const RESIDUAL_ROUNDING = Math.fround(3e-7);

/**
 * kernel.wat in TypeScript, for runtimes without SIMD and to test it. It uses the same number of lanes, adds in the same
 * order and rounds to f32 at the same points.
 */
export function plainKernel(arena: Arena): Kernel {
  return {
    scoreRows(rows, count, out, query, blocks, width) {
      const { f32, f64, u32 } = arena;
      const weights = f64.subarray(query / 8, query / 8 + width);
      const lanes = new Float64Array(8);
      for (let i = 0; i < count; i++) {
        const at = rowAt(u32, u32[rows / 4 + i]!, blocks, 0, width * 4) / 4;
        const vector = f32.subarray(at, at + width);
        lanes.fill(0);
        for (let j = 0; j < width; j++) lanes[j & 7] = lanes[j & 7]! + vector[j]! * weights[j]!;
        const even = lanes[0]! + lanes[2]! + (lanes[4]! + lanes[6]!);
        const odd = lanes[1]! + lanes[3]! + (lanes[5]! + lanes[7]!);
        f64[out / 8 + i] = Math.max(-1, Math.min(1, even + odd));
      }
    },

    boundRows(rows, count, keys, query, blocks, offset, width, unit, spread, slack) {
      const { i8, i16, u32, f32 } = arena;
      const weights = i16.subarray(query / 2, query / 2 + width);
      for (let i = 0; i < count; i++) {
        const header = rowAt(u32, u32[rows / 4 + i]!, blocks, offset, width + CODE_HEADER_BYTES);
        const codes = i8.subarray(header + CODE_HEADER_BYTES, header + CODE_HEADER_BYTES + width);
        let dot = 0;
        for (let j = 0; j < width; j++) dot = (dot + Math.imul(codes[j]!, weights[j]!)) | 0;
        const bound = dot * f32[header / 4]! * unit + f32[header / 4 + 1]! * spread + slack;
        i16[keys / 2 + i] = Math.ceil(KEYS_PER_COSINE * Math.max(-1, Math.min(1, bound)));
      }
    },

    sumColumns(sketch, stride, groups, columns, tables, count, sums, accumulate) {
      const { u8, u32 } = arena;
      if (accumulate === 0) u8.fill(0, sums, sums + groups * GROUP_ROWS);
      for (let i = 0; i < count; i++) {
        const column = sketch + u32[columns / 4 + i]! * stride;
        const table = tables + i * 16;
        for (let position = 0; position < groups * GROUP_ROWS; position++) {
          const signs = (u8[column + byteOf(position)]! >>> shiftOf(position)) & 15;
          u8[sums + position] = u8[sums + position]! + u8[table + signs]!;
        }
      }
    },

    countSums(sums, words, groups, stride, low) {
      const { u8, u32 } = arena;
      let found = 0;
      for (let group = 0; group < groups; group += stride) {
        const word = u32[words / 4 + group]!;
        for (let lane = 0; lane < GROUP_ROWS; lane++) {
          if ((word & (1 << lane)) !== 0 && u8[sums + group * GROUP_ROWS + lane]! >= low) found++;
        }
      }
      return found;
    },

    collectSums(sums, words, groups, low, high, out) {
      const { u8, u32 } = arena;
      let found = 0;
      for (let row = 0; row < groups * GROUP_ROWS; row++) {
        const sum = u8[sums + row]!;
        const isSet = (u32[words / 4 + (row >>> 5)]! & (1 << (row & 31))) !== 0;
        if (isSet && sum >= low && sum <= high) u32[out / 4 + found++] = row;
      }
      return found;
    },

    countKeys(keys, count, low) {
      const { i16 } = arena;
      let found = 0;
      for (let at = keys / 2, end = at + count; at < end; at++) {
        if (i16[at]! >= low) found++;
      }
      return found;
    },

    collectKeys(keys, count, low, high, rows, out) {
      const { i16, u32 } = arena;
      let found = 0;
      for (let i = 0; i < count; i++) {
        const key = i16[keys / 2 + i]!;
        if (key >= low && key <= high) u32[out / 4 + found++] = u32[rows / 4 + i]!;
      }
      return found;
    },

    quantizeRow(vector, code, width) {
      const { i8, f32 } = arena;
      const from = vector / 4;
      const to = code + CODE_HEADER_BYTES;
      let largest = 0;
      for (let j = 0; j < width; j++) largest = Math.max(largest, Math.abs(f32[from + j]!));
      const scale = Math.fround(largest / 127);
      const inverse = largest > 0 ? Math.fround(127 / largest) : 0;
      const squares = new Float32Array(16);
      for (let j = 0; j < width; j++) {
        const value = f32[from + j]!;
        const nearest = Math.fround(Math.fround(value * inverse) + ROUND_MAGIC) - ROUND_MAGIC;
        const rest = Math.fround(value - Math.fround(nearest * scale));
        i8[to + j] = nearest;
        squares[j & 15] = squares[j & 15]! + Math.fround(rest * rest);
      }
      const lane = (k: number) =>
        Math.fround(Math.fround(squares[k]! + squares[k + 4]!) + Math.fround(squares[k + 8]! + squares[k + 12]!));
      const total = Math.fround(Math.fround(lane(0) + lane(1)) + Math.fround(lane(2) + lane(3)));
      f32[code / 4] = scale;
      f32[code / 4 + 1] = RESIDUAL_ROUNDING + Math.fround(RESIDUAL_GROWTH * Math.fround(Math.sqrt(total)));
    },

    sketchRow(vector, width, work, bits, factors, rounds, span, columns, stride, position) {
      const { u8, i32, f32 } = arena;
      const from = work / 4;
      f32.copyWithin(from, vector / 4, vector / 4 + width);
      f32.fill(0, from + width, from + bits);
      this.rotate(work, bits, factors, rounds, span);
      const shift = shiftOf(position);
      for (let j = 0, at = columns + byteOf(position); j < bits; j += 4, at += stride) {
        let signs = 0;
        for (let k = 0; k < 4; k++) signs |= (i32[from + j + k]! >>> 31) << k;
        u8[at] = (u8[at]! & ~(15 << shift)) | (signs << shift);
      }
    },

    rotate(at, bits, factors, rounds, span) {
      const { f32 } = arena;
      const from = at / 4;
      for (let round = 0; round < rounds; round++) {
        const first = round % 2 === 0 ? from : from + bits - span;
        const roundFactors = factors / 4 + round * span;
        for (let j = 0; j < span; j++) f32[first + j] = f32[first + j]! * f32[roundFactors + j]!;
        transform(f32, first, span);
      }
    },
  };
}

/** The byte of a column that has the signs of a row. */
function byteOf(position: number): number {
  return (position >>> 5) * 16 + (position & 15);
}

function shiftOf(position: number): number {
  return (position & 16) >>> 2;
}

/** A Walsh-Hadamard transform in place, not normalized. */
function transform(values: Float32Array, from: number, size: number): void {
  for (let half = 1; half < size; half *= 2) {
    for (let start = from; start < from + size; start += 2 * half) {
      for (let j = start; j < start + half; j++) {
        const x = values[j]!;
        const y = values[j + half]!;
        values[j] = x + y;
        values[j + half] = x - y;
      }
    }
  }
}

function rowAt(u32: Uint32Array, row: number, blocks: number, offset: number, stride: number): number {
  return u32[blocks / 4 + Math.floor(row / BLOCK_ROWS)]! + offset + (row % BLOCK_ROWS) * stride;
}
