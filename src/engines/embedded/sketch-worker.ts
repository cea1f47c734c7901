import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../search/vector/column-jobs.ts';
import type { ThreadSetup } from '../../search/vector/look-ahead.ts';
import { openWasmKernel } from '../../search/vector/wasm-kernel.ts';

const { memory, board } = workerData as ThreadSetup;
const kernel = openWasmKernel(memory);
if (kernel !== null) serveJobs(() => new Int32Array(memory.buffer), board, kernel);
