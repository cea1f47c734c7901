import { parentPort, workerData } from 'node:worker_threads';
import { DowserError } from '../../model/errors/errors.ts';
import type { EmbedOptions } from '../embedder.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';
import { NativeGuard } from './native-guard.ts';
import { openTextEncoder, type TextEncoder } from './text-encoder.ts';

/** The thread that runs the model. Queries go before documents and wait for one text at most. */

const REINSTALL = 'Run `dowser model pull`, or use another EMBEDDINGS_PROVIDER (openai, ollama, none).';

if (parentPort === null) throw new Error('This file must run as a worker thread.');
const port = parentPort;
const { model, runtime, guard: shared } = workerData as WorkerSetup;
const guard = new NativeGuard(shared);

interface Job {
  readonly id: number;
  readonly as: EmbedOptions['as'];
  readonly texts: readonly string[];
  readonly vectors: Float32Array;
  done: number;
}

const queries: Job[] = [];
const documents: Job[] = [];
let wake = (): void => undefined;
let isClosing = false;

function send(message: FromWorker, transfer: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, [...transfer]);
}

port.on('message', (message: ToWorker) => {
  if (message.type === 'embed') {
    const { id, as, texts } = message;
    const vectors = new Float32Array(texts.length * model.dimensions);
    (as === 'query' ? queries : documents).push({ id, as, texts, vectors, done: 0 });
  } else if (message.type === 'drop') {
    drop(queries, message.id);
    drop(documents, message.id);
  } else {
    isClosing = true;
  }
  wake();
});

function drop(jobs: Job[], id: number): void {
  const at = jobs.findIndex((job) => job.id === id);
  if (at !== -1) jobs.splice(at, 1);
}

async function embedNext(encoder: TextEncoder, jobs: Job[], job: Job): Promise<void> {
  try {
    const text = job.texts[job.done];
    if (text !== undefined)
      job.vectors.set(await guard.run(() => encoder.encode(text, job.as)), job.done * model.dimensions);
    job.done++;
    if (job.done < job.texts.length) return;
    if (jobs.includes(job))
      send({ type: 'vectors', id: job.id, vectors: job.vectors }, [job.vectors.buffer as ArrayBuffer]);
  } catch (error) {
    send({ type: 'error', id: job.id, message: error instanceof Error ? error.message : String(error) });
  }
  drop(jobs, job.id);
}

async function work(encoder: TextEncoder): Promise<void> {
  while (!isClosing) {
    const jobs = queries.length > 0 ? queries : documents;
    const job = jobs[0];
    if (job !== undefined) {
      await embedNext(encoder, jobs, job);
      continue;
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

let encoder: TextEncoder | undefined;
try {
  encoder = await guard.run(() => openTextEncoder(model, runtime));
} catch (error) {
  send({
    type: 'failed',
    message: error instanceof Error ? error.message : String(error),
    hint: (error instanceof DowserError ? error.hint : undefined) ?? REINSTALL,
  });
}
if (encoder !== undefined) {
  send({ type: 'ready' });
  await work(encoder);
  const { close } = encoder;
  await guard.run(close);
}
port.close();
