import { Worker } from 'node:worker_threads';
import { DowserError } from '../../model/errors/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';
import { findModel } from '../models/model-store.ts';
import { untilAborted } from '../wrappers/until-aborted.ts';
import { ensureLocalFiles, type LocalFiles, type LocalFilesOptions } from './local-files.ts';
import type { WorkerSetup } from './messages.ts';
import { NativeGuard } from './native-guard.ts';
import { WorkerPool } from './worker-pool.ts';

export interface OnnxEmbedderOptions extends Omit<LocalFilesOptions, 'signal'> {
  /** The name of a known model. Default `dowser-tools-1`. */
  readonly model?: string | undefined;
  /** Threads for bulk imports. Each loads its own model (about 100 MB). Default 1. */
  readonly workers?: number | undefined;
}

/**
 * A local model in worker threads, so that the event loop stays free. The first call starts and loads it. Only a document
 * or `warm()` fetches it. The next call retries a failed start. Throws INVALID_SETTING for an unknown model.
 */
export function openOnnxEmbedder(options: OnnxEmbedderOptions = {}): Embedder {
  const { name, dimensions, language } = findModel(options.model, options);
  const id = `local/${name}/${dimensions}`;
  const closing = new AbortController();
  let stored: LocalFiles | undefined;
  let isChecked = false;
  let fetching: Promise<void> | undefined;

  const pool = new WorkerPool({
    start: () => startWorker(stored!),
    workers: Math.max(1, options.workers ?? 1),
    dimensions,
    name: id,
  });

  async function checkModel(download: boolean): Promise<void> {
    try {
      stored = await ensureLocalFiles(name, { ...options, download, signal: closing.signal });
      isChecked = true;
    } catch (error) {
      throw unavailable(id, error);
    }
  }

  /**
   * All callers share one fetch; a caller that aborts does not stop it. A query never starts a fetch: it takes longer than
   * a query may wait, and a one-shot command would start one each time and never use it.
   */
  async function haveModel(as: EmbedOptions['as'], signal?: AbortSignal): Promise<void> {
    if (isChecked) return;
    if (as === 'query' && fetching === undefined) return untilAborted(checkModel(false), signal);
    fetching ??= checkModel(options.download ?? true).finally(() => {
      fetching = undefined;
    });
    await untilAborted(fetching, signal);
  }

  /** If the files do not load, check them again before the next start. */
  async function started<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      isChecked &&= pool.isReady;
      throw error;
    }
  }

  return {
    id,
    dimensions,
    language,
    get loading() {
      return fetching !== undefined || pool.isStarting;
    },
    async embed(texts, { as, signal }) {
      signal?.throwIfAborted();
      if (texts.length === 0) return [];
      await haveModel(as, signal);
      return started(pool.embed(texts, signal === undefined ? { as } : { as, signal }));
    },
    async warm() {
      await haveModel('document');
      await started(pool.start());
    },
    async close() {
      closing.abort();
      await pool.close();
      await fetching?.catch(() => undefined);
    },
  };
}

const guards = new Set<NativeGuard>();
/** Longer than any text takes. A stuck thread must not keep the process from exiting. */
const EXIT_GRACE_MS = 3000;

function endGuards(): void {
  for (const guard of guards) guard.end(EXIT_GRACE_MS);
}

/** The worker is TypeScript in a checkout, and compiled in the package. */
function startWorker(files: LocalFiles): Worker {
  // Turns off the runtime's telemetry. Set here, not in the worker: native code does not see a worker's copy of the
  // environment.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const guard = new NativeGuard();
  const entry = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';
  const workerData: WorkerSetup = { ...files, guard: guard.shared };
  const worker = new Worker(new URL(entry, import.meta.url), { workerData, execArgv: [] });
  if (guards.size === 0) process.once('exit', endGuards);
  guards.add(guard);
  worker.once('exit', () => {
    guards.delete(guard);
    if (guards.size === 0) process.off('exit', endGuards);
  });
  return worker;
}

function unavailable(id: string, cause: unknown): DowserError {
  if (cause instanceof DowserError) return new LoadFailure(cause.message, { hint: cause.hint, cause });
  return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${id} is closed.`, { cause });
}
