import { Worker } from 'node:worker_threads';
import { DowserError } from '../../model/errors.ts';
import type { Embedder, EmbedOptions } from '../embedder.ts';
import { DEFAULT_MODEL, knownModel } from '../known-models.ts';
import { LoadFailure } from '../load-failure.ts';
import { type EnsureModelOptions, ensureModel, type StoredModel } from '../model-store.ts';
import { untilAborted } from '../until-aborted.ts';
import type { WorkerSetup } from './messages.ts';
import { NativeGuard } from './native-guard.ts';
import { WorkerPool } from './worker-pool.ts';

export interface OnnxEmbedderOptions extends Omit<EnsureModelOptions, 'signal'> {
  /** A name of the table of known models. Default `all-MiniLM-L6-v2`. */
  readonly model?: string | undefined;
  /** Threads for importing many documents at once, each with a model of its own (about 100 MB). Default 1. */
  readonly workers?: number | undefined;
}

/**
 * A local model in worker threads: the event loop stays free. Nothing is loaded or started before the first call, and
 * nothing is fetched before the first document or `warm()`; a failed start is tried again by the next call. Throws INVALID_SETTING for an unknown model.
 */
export function openOnnxEmbedder(options: OnnxEmbedderOptions = {}): Embedder {
  const { name, dimensions } = knownModel(options.model ?? DEFAULT_MODEL, options.models);
  const id = `local/${name}/${dimensions}`;
  const closing = new AbortController();
  let stored: StoredModel | undefined;
  let isChecked = false;
  let fetching: Promise<void> | undefined;

  const pool = new WorkerPool({
    start: () => startWorker(stored!),
    workers: Math.max(1, options.workers ?? 1),
    dimensions,
    name: id,
  });

  async function findModel(download: boolean): Promise<void> {
    try {
      stored = await ensureModel(name, { ...options, download, signal: closing.signal });
      isChecked = true;
    } catch (error) {
      throw unavailable(id, error);
    }
  }

  /**
   * One fetch for all who wait; a caller who gives up does not stop it for the others. A question never begins one: it
   * takes longer than anybody waits for an answer, and a command that asks once would fetch in vain every time.
   */
  async function haveModel(as: EmbedOptions['as'], signal?: AbortSignal): Promise<void> {
    if (isChecked) return;
    if (as === 'query' && fetching === undefined) return untilAborted(findModel(false), signal);
    fetching ??= findModel(options.download ?? true).finally(() => {
      fetching = undefined;
    });
    await untilAborted(fetching, signal);
  }

  /** Files that would not load are looked at again before the next start. */
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
/** Longer than any text takes; a thread that is stuck must not keep a process from ending. */
const EXIT_GRACE_MS = 3000;

function endGuards(): void {
  for (const guard of guards) guard.end(EXIT_GRACE_MS);
}

/** In a checkout this file is TypeScript, and so is the worker; in the package both are compiled. */
function startWorker(model: StoredModel): Worker {
  // The runtime would report its use to its maker; a search engine that works offline tells nobody. Set here and not in
  // the worker: a worker's environment is a copy that native code does not see.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const guard = new NativeGuard();
  const entry = import.meta.url.endsWith('.ts') ? './worker-from-source.mjs' : './worker.js';
  const workerData: WorkerSetup = { model, guard: guard.shared };
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
