// A process that reads files for `open-document-reader.ts`. It has no secrets, keeps nothing, and ends with its parent.
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { chunkDocument } from '../chunk/chunk-document.ts';
import {
  type ChunkJob,
  isReadFailure,
  type ReadDocument,
  type ReadLimits,
  type ReadResult,
} from './document-reader.ts';
import type { ReadDone, ReadJob } from './messages.ts';
import { readBytes } from './read-bytes.ts';
import { readWholeFile } from './read-file.ts';
import { ReadProblem } from './read-problem.ts';
import { watchProcess } from './watch-process.ts';
import { yieldProcessor } from './yield-processor.ts';

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
