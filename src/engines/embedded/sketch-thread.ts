import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ThreadSetup } from '../../search/vector/look-ahead.ts';
import type { VectorIndex } from '../../search/vector/vector-index.ts';

/** With fewer vectors, waking a thread takes as long as what it is woken for. */
const MIN_VECTORS = 30_000;
/** A command that asks a question or two ends before a thread would have started. */
const QUESTIONS_BEFORE = 16;

/** A thread beside the main one that works on the vector leg while the main one answers by keyword. */
export class SketchThread {
  readonly #worker: Worker;

  /**
   * Starts one where it pays: among many vectors, after some questions, on a machine with a processor to spare. Null where it
   * does not yet, 'never' where there can be none: too few processors, or the system allows no more threads.
   */
  static startFor(
    vectors: VectorIndex,
    questions: number,
    processors: () => number = availableParallelism,
  ): SketchThread | 'never' | null {
    if (vectors.size < MIN_VECTORS || questions < QUESTIONS_BEFORE) return null;
    if (processors() < 2) return 'never';
    try {
      const setup = vectors.threadSetup();
      return setup === null ? 'never' : new SketchThread(setup);
    } catch {
      return 'never';
    }
  }

  private constructor(setup: ThreadSetup) {
    // In a checkout this file is TypeScript, and so is the worker; in the package both are compiled.
    const entry = import.meta.url.endsWith('.ts') ? './sketch-worker-from-source.mjs' : './sketch-worker.js';
    this.#worker = new Worker(new URL(entry, import.meta.url), { workerData: setup, execArgv: [] });
    // A thread that cannot start or dies is no trouble: without it the main one does all the work.
    this.#worker.on('error', () => undefined);
    this.#worker.unref();
  }

  close(): void {
    void this.#worker.terminate();
  }
}
