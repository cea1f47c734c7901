import type { LinearMemory } from './arena.ts';
import type { Kernel } from './kernel.ts';
import { KERNEL_BASE64 } from './kernel-bytes.ts';

/** The part of the WebAssembly namespace used here; the ES2023 library of TypeScript has none of it. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  readonly Memory: new (limits: { initial: number; maximum: number }) => LinearMemory;
}

const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
let compiled: object | null | undefined;

/** What 32-bit pointers reach; kernel.wat says the same. */
const MAX_PAGES = 65536;

/** Whether this runtime can run the kernel: it has WebAssembly, with SIMD in it. */
export function hasWasmKernel(): boolean {
  return module() !== null;
}

/** Memory that grows without copying. Null where there is no WebAssembly, or no address space for what it may grow to. */
export function openWasmMemory(): LinearMemory | null {
  if (api === undefined) return null;
  try {
    return new api.Memory({ initial: 1, maximum: MAX_PAGES });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The kernel on that memory; null where the runtime cannot run it. */
export function openWasmKernel(memory: LinearMemory): Kernel | null {
  const code = module();
  if (api === undefined || code === null) return null;
  return new api.Instance(code, { vector: { memory } }).exports as Kernel;
}

function module(): object | null {
  if (compiled === undefined) {
    const bytes = Uint8Array.from(atob(KERNEL_BASE64), (char) => char.charCodeAt(0));
    compiled = api?.validate(bytes) ? new api.Module(bytes) : null;
  }
  return compiled;
}
