import { constants } from 'node:os';
import { Worker } from 'node:worker_threads';

const LOOK_MS = 20;

/** What the process may use until the next call of `allow`. */
export interface Allowance {
  /** Resident memory. */
  readonly memoryBytes: number;
  /** Processor time of the process since its start. */
  readonly cpuMs: number;
}

/**
 * A thread that ends this process at once if it uses more memory or processor time than allowed, or if its parent is gone. The
 * heap limit of V8 does not count buffers, which is where a file that unpacks to gigabytes goes, and the main thread is busy
 * with that file. Where the system has no signal for processor time, the time limit of the parent ends the file.
 */
const WATCH = `
  const { workerData } = require('node:worker_threads');
  const allowed = new Float64Array(workerData.shared);
  const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  setInterval(() => {
    if (process.memoryUsage.rss() > allowed[0] || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
    if (workerData.hasSignal && usedMs() > allowed[1]) process.kill(process.pid, 'SIGXCPU');
  }, ${LOOK_MS});
`;

export function watchProcess(): { allow(allowance: Allowance | null): void } {
  const shared = new SharedArrayBuffer(16);
  const allowed = new Float64Array(shared);
  allowed.fill(Number.POSITIVE_INFINITY);
  const hasSignal = 'SIGXCPU' in constants.signals;
  new Worker(WATCH, { eval: true, workerData: { shared, parent: process.ppid, hasSignal }, execArgv: [] }).unref();
  return {
    allow(allowance) {
      allowed[0] = allowance?.memoryBytes ?? Number.POSITIVE_INFINITY;
      allowed[1] = allowance?.cpuMs ?? Number.POSITIVE_INFINITY;
    },
  };
}
