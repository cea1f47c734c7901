import type { LinearMemory } from './arena.ts';
import type { Kernel } from './kernel.ts';
import { KERNEL_BASE64 } from './kernel-bytes.ts';

/** The part of the WebAssembly namespace used here. TypeScript's ES2023 library does not declare it. */
interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (compiledModule: object, imports: object) => { readonly exports: unknown };
  readonly Memory: new (limits: { initial: number; maximum: number }) => LinearMemory;
}

const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
let compiled: object | null | undefined;

/** The limit of 32-bit addresses, as in kernel.wat. */
const MAX_PAGES = 65536;

/** Memory that grows without copying. Null without WebAssembly, or without enough address space. */
export function openWasmMemory(): LinearMemory | null {
  if (api === undefined) return null;
  try {
    return new api.Memory({ initial: 1, maximum: MAX_PAGES });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The kernel on that memory; null if the runtime has no WebAssembly SIMD. */
export function openWasmKernel(memory: LinearMemory): Kernel | null {
  const code = compiledModule();
  if (api === undefined || code === null) return null;
  return new api.Instance(code, { vector: { memory } }).exports as Kernel;
}

function compiledModule(): object | null {
  if (compiled === undefined) {
    const bytes = Uint8Array.from(atob(KERNEL_BASE64), (char) => char.charCodeAt(0));
    compiled = api?.validate(bytes) ? new api.Module(bytes) : null;
  }
  return compiled;
}
