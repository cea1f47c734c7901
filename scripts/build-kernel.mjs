// Compiles src/search/vector/kernel.wat into src/search/vector/kernel-bytes.ts. Run it after every change of the .wat:
//   node scripts/build-kernel.mjs
// The outcome is committed, so that neither users nor the build need the assembler.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const folder = new URL('../src/search/vector/', import.meta.url);

/** The text of kernel-bytes.ts as the .wat of this moment gives it. */
export async function buildKernel() {
  const assembler = await wabt();
  const features = { simd: true, bulk_memory: true, sat_float_to_int: true };
  const module = assembler.parseWat('kernel.wat', readFileSync(new URL('kernel.wat', folder), 'utf8'), features);
  module.validate(features);
  const { buffer } = module.toBinary({ canonicalize_lebs: true, write_debug_names: false });
  module.destroy();
  return [
    '// Made from kernel.wat by `node scripts/build-kernel.mjs`; a test compares the two. Do not edit.',
    `export const KERNEL_BASE64 =\n  '${Buffer.from(buffer).toString('base64')}';`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('kernel-bytes.ts', folder), await buildKernel());
}
