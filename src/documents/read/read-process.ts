// The process that reads files for `document-process.ts`. It has no secrets, writes nothing, and ends with its parent.
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
import { watchMemory } from './watch-memory.ts';
import { yieldProcessor } from './yield-processor.ts';

yieldProcessor();
const watch = watchMemory();

function chunked(name: string, document: ReadDocument, { documentId, options }: ChunkJob, { maxChunks }: ReadLimits) {
  const chunks = chunkDocument(documentId, document, options);
  if (chunks.length <= maxChunks) return { ...document, blocks: [], chunks };
  throw new ReadProblem(
    'too_large',
    `${name} has ${chunks.length} chunks, and the limit is ${maxChunks}. Use larger chunks, or split the file into parts.`,
  );
}

async function run({ input, limits, chunk }: ReadJob): Promise<ReadResult> {
  const name = 'path' in input ? basename(input.path) : input.name;
  try {
    const bytes = 'path' in input ? await readWholeFile(input.path, limits.maxBytes) : input.bytes;
    const result = await readBytes(name, bytes, limits);
    return chunk === undefined || isReadFailure(result) ? result : chunked(name, result, chunk, limits);
  } catch (error) {
    if (error instanceof ReadProblem) return { failed: error.code, message: error.message };
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'an unknown error';
    return { failed: 'broken', message: `${name} cannot be read: ${reason}` };
  }
}

process.on('message', async (job: ReadJob) => {
  watch.allow(process.memoryUsage.rss() + job.limits.maxMemoryBytes);
  const done: ReadDone = { id: job.id, result: await run(job) };
  process.send!(done, undefined, {}, () => watch.allow(Number.POSITIVE_INFINITY));
});
// A parser may leave a promise behind. What it was about has been answered.
process.on('unhandledRejection', () => undefined);
process.on('disconnect', () => process.exit(0));
// Ctrl-C in a terminal reaches every process of the command. The parent decides what it means.
process.on('SIGINT', () => undefined);
