// A process that reads files for `open-document-reader.ts`. It has no secrets, keeps nothing, and ends with its parent.
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { chunkDocument } from '../chunk/chunk-document.ts';
import {
  type ChunkJob,
  isReadFailure,
  type ReadDocument,
  type ReadLimits,
  type ReadResult,
} from '../contract/document-reader.ts';
import type { ReadDone, ReadJob } from './messages.ts';
import { readBytes } from './read-bytes.ts';
import { readWholeFile } from './read-file.ts';
import { ReadProblem } from './text/read-problem.ts';
import { yieldProcessor } from './text/yield-processor.ts';

const LOOK_MS = 20;

/** What the process may use until the next call of `allow`. */
interface Allowance {
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

function watchProcess(): { allow(allowance: Allowance | null): void } {
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

yieldProcessor();
endFirst();
const watch = watchProcess();

function chunked(name: string, document: ReadDocument, { documentId, options }: ChunkJob, { maxChunks }: ReadLimits) {
  const chunks = chunkDocument(documentId, document, options);
  if (chunks.length <= maxChunks) return { ...document, blocks: [], chunks };
  throw new ReadProblem(
    'too_large',
    `${name} has ${chunks.length} chunks, and the limit is ${maxChunks}. Use larger chunks, or split the file into parts.`,
  );
}

/** Where memory runs out, Linux ends this process and not the server. */
function endFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system, or a container without it.
  }
}

/** A file may take as much as its size needs. A small one that takes long is made to. */
function allowFile({ maxMemoryBytes, cpuMs, cpuMsPerMegabyte }: ReadLimits, bytes: number): void {
  const { user, system } = process.cpuUsage();
  watch.allow({
    memoryBytes: process.memoryUsage.rss() + maxMemoryBytes,
    cpuMs: (user + system) / 1000 + cpuMs + (cpuMsPerMegabyte * bytes) / 1e6,
  });
}

async function run({ input, limits, chunk }: ReadJob): Promise<ReadResult> {
  const name = 'path' in input ? basename(input.path) : input.name;
  try {
    const bytes = 'path' in input ? await readWholeFile(input.path, limits.maxBytes) : input.bytes;
    allowFile(limits, bytes.length);
    const result = await readBytes(name, bytes, limits);
    return chunk === undefined || isReadFailure(result) ? result : chunked(name, result, chunk, limits);
  } catch (error) {
    if (error instanceof ReadProblem) return { failed: error.code, message: error.message };
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'an unknown error';
    return { failed: 'broken', message: `${name} cannot be read: ${reason}` };
  }
}

process.on('message', async (job: ReadJob) => {
  allowFile(job.limits, job.limits.maxBytes);
  const done: ReadDone = { id: job.id, result: await run(job) };
  process.send!(done, undefined, {}, () => watch.allow(null));
});
// A parser may leave a promise behind. What it was about has been answered.
process.on('unhandledRejection', () => undefined);
process.on('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches every process of the command. The parent decides what it means.
process.on('SIGINT', () => undefined);
