import { describe, expect, test } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { Arena, CopyingMemory, type LinearMemory } from './arena.ts';
import { openWasmMemory } from './wasm-kernel.ts';

const MEMORIES: Record<string, () => LinearMemory> = {
  'WebAssembly memory': () => openWasmMemory()!,
  'copying memory': () => new CopyingMemory(),
};

describe.each(Object.keys(MEMORIES))('an arena on %s', (name) => {
  test('keeps its content when it grows, and allocates zeros', () => {
    const arena = new Arena(MEMORIES[name]!());
    const first = arena.allocate(100);
    arena.u8.fill(7, first, first + 100);
    const second = arena.allocate(5_000_000);
    expect(arena.u8[first + 99]).toBe(7);
    expect(arena.u8.subarray(second, second + 5_000_000).every((byte) => byte === 0)).toBe(true);
    arena.f64[second / 8] = 0.5;
    expect(arena.u8[second + 7]).toBe(0x3f);
  });

  test('allocates aligned blocks that do not overlap, none at address 0', () => {
    const arena = new Arena(MEMORIES[name]!());
    let end = 1;
    for (const bytes of [1, 64, 65, 100_000, 0, 3]) {
      const address = arena.allocate(bytes);
      expect(address % 64).toBe(0);
      expect(address).toBeGreaterThanOrEqual(end);
      end = address + bytes;
      expect(end).toBeLessThanOrEqual(arena.u8.length);
    }
  });

  test('throws beyond 32-bit addresses, and works afterwards', () => {
    const arena = new Arena(MEMORIES[name]!());
    expect(() => arena.allocate(2 ** 32)).toThrowError(DowserError);
    expect(arena.allocate(1)).toBe(64);
  });
});

test('throws STORE_FULL if the memory cannot grow', () => {
  const stuck: LinearMemory = {
    buffer: new ArrayBuffer(128),
    grow: () => {
      throw new RangeError('no');
    },
  };
  const arena = new Arena(stuck);
  expect(() => arena.allocate(1000)).toThrowError(expect.objectContaining({ code: 'STORE_FULL' }));
});
