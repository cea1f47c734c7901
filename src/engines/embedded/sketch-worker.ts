import { workerData } from 'node:worker_threads';
import { AheadBoard } from '../../search/vector/ahead-board.ts';
import type { ThreadSetup } from '../../search/vector/look-ahead.ts';
import { openWasmKernel } from '../../search/vector/wasm-kernel.ts';

const { memory, board } = workerData as ThreadSetup;
const kernel = openWasmKernel(memory);
if (kernel !== null) new AheadBoard(() => new Int32Array(memory.buffer), board, kernel).serve();
