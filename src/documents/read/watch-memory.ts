import { Worker } from 'node:worker_threads';

const LOOK_MS = 20;

/**
 * A thread that ends this process at once if it uses more memory than allowed, or if its parent is gone. The heap limit of
 * V8 does not count buffers, which is where a file that unpacks to gigabytes goes, and the main thread is busy with that file.
 */
const WATCH = `
  const { workerData } = require('node:worker_threads');
  const allowed = new Float64Array(workerData.shared);
  setInterval(() => {
    if (process.memoryUsage.rss() > allowed[0] || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, ${LOOK_MS});
`;

export function watchMemory(): { allow(bytes: number): void } {
  const shared = new SharedArrayBuffer(8);
  const allowed = new Float64Array(shared);
  allowed[0] = Number.POSITIVE_INFINITY;
  new Worker(WATCH, { eval: true, workerData: { shared, parent: process.ppid }, execArgv: [] }).unref();
  return {
    allow(bytes) {
      allowed[0] = bytes;
    },
  };
}
