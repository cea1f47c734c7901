import type { Worker } from 'node:worker_threads';
import { DowserError } from '../../model/errors/errors.ts';
import type { EmbedOptions } from '../embedder.ts';
import { LoadFailure } from '../load-failure.ts';
import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerPoolOptions {
  /** Starts a thread that uses the messages of `messages.ts`. */
  readonly start: () => Worker;
  /** The most threads. The second and later ones start only for a long queue of documents. */
  readonly workers: number;
  readonly dimensions: number;
  /** The name of the embedder in errors. */
  readonly name: string;
}

/** Enough to keep a thread busy, few enough to cancel quickly. */
const TEXTS_PER_TASK = 8;
/** For each worker and kind (query or document): one running and one waiting. */
const TASKS_IN_FLIGHT = 2;
const CLOSE_GRACE_MS = 3000;

interface Call {
  readonly as: EmbedOptions['as'];
  readonly vectors: Float32Array[];
  left: number;
  settle(error?: unknown): void;
}

interface Task {
  readonly id: number;
  readonly call: Call;
  readonly from: number;
  readonly texts: readonly string[];
}

interface Thread {
  readonly worker: Worker;
  readonly inFlight: Map<number, Task>;
  isReady: boolean;
}

/**
 * Worker threads and their queues. Queries go before documents. When a thread dies, its calls fail with
 * EMBEDDER_UNAVAILABLE and the next call starts another thread. Idle threads do not keep the process alive.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #queues = { query: [] as Task[], document: [] as Task[] };
  readonly #calls = new Set<Call>();
  #startWaiters: { resolve(): void; reject(error: unknown): void }[] = [];
  #nextId = 1;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  get isStarting(): boolean {
    return this.#threads.size > 0 && !this.isReady;
  }

  get isReady(): boolean {
    return [...this.#threads].some((thread) => thread.isReady);
  }

  /** Resolves when a thread is ready. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(this.#unavailable('is closed'));
      if (this.isReady) return resolve();
      this.#startWaiters.push({ resolve, reject });
      this.#pump();
    });
  }

  embed(texts: readonly string[], { as, signal }: EmbedOptions): Promise<readonly Float32Array[]> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw this.#unavailable('is closed');
      if (texts.length === 0) return resolve([]);
      const abort = () => call.settle(signal?.reason);
      const call: Call = {
        as,
        vectors: new Array<Float32Array>(texts.length),
        left: texts.length,
        settle: (error) => {
          if (!this.#calls.delete(call)) return;
          signal?.removeEventListener('abort', abort);
          if (error === undefined) return resolve(call.vectors);
          this.#forget(call);
          reject(error);
        },
      };
      this.#calls.add(call);
      signal?.addEventListener('abort', abort, { once: true });
      for (let from = 0; from < texts.length; from += TEXTS_PER_TASK) {
        this.#queues[as].push({ id: this.#nextId++, call, from, texts: texts.slice(from, from + TEXTS_PER_TASK) });
      }
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(this.#unavailable('is closed'));
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  #pump(): void {
    const wanted = this.#queues.document.length > TASKS_IN_FLIGHT ? this.#options.workers : 1;
    const isNeeded = this.#startWaiters.length > 0 || this.#calls.size > 0;
    while (isNeeded && this.#threads.size < wanted) this.#startThread();
    for (const as of ['query', 'document'] as const) {
      for (let thread = this.#leastBusy(as); thread !== undefined; thread = this.#leastBusy(as)) {
        const task = this.#queues[as].shift();
        if (task === undefined) break;
        thread.inFlight.set(task.id, task);
        post(thread, { type: 'embed', id: task.id, as, texts: task.texts });
      }
    }
    for (const thread of this.#threads) {
      if (isNeeded) thread.worker.ref();
      else thread.worker.unref();
    }
  }

  #leastBusy(as: Call['as']): Thread | undefined {
    let best: Thread | undefined;
    let fewest = TASKS_IN_FLIGHT;
    for (const thread of this.#threads) {
      const tasks = [...thread.inFlight.values()].filter((task) => task.call.as === as).length;
      if (thread.isReady && tasks < fewest) {
        best = thread;
        fewest = tasks;
      }
    }
    return best;
  }

  #startThread(): void {
    const thread: Thread = { worker: this.#options.start(), inFlight: new Map(), isReady: false };
    this.#threads.add(thread);
    thread.worker.on('message', (message: FromWorker) => this.#receive(thread, message));
    thread.worker.on('error', (cause) =>
      this.#onThreadGone(thread, this.#unavailable(`stopped: ${cause.message}`, cause)),
    );
    thread.worker.on('exit', (code) => this.#onThreadGone(thread, this.#unavailable(`stopped with exit code ${code}`)));
  }

  #receive(thread: Thread, message: FromWorker): void {
    if (message.type === 'ready') {
      thread.isReady = true;
      for (const waiter of this.#startWaiters.splice(0)) waiter.resolve();
    } else if (message.type === 'failed') {
      const { hint } = message;
      this.#onThreadGone(
        thread,
        new LoadFailure(`The embedder ${this.#options.name} cannot load its model: ${message.message}.`, { hint }),
      );
    } else {
      const task = thread.inFlight.get(message.id);
      thread.inFlight.delete(message.id);
      if (task !== undefined && message.type === 'vectors') this.#deliver(task, message.vectors);
      if (task !== undefined && message.type === 'error') {
        task.call.settle(this.#unavailable(`failed on a text: ${message.message}`));
      }
    }
    this.#pump();
  }

  #deliver({ call, from, texts }: Task, vectors: Float32Array): void {
    const { dimensions } = this.#options;
    for (let i = 0; i < texts.length; i++) {
      call.vectors[from + i] = vectors.slice(i * dimensions, (i + 1) * dimensions);
    }
    call.left -= texts.length;
    if (call.left === 0) call.settle();
  }

  /** A thread that never got ready would fail again, so everyone who waits for it fails. */
  #onThreadGone(thread: Thread, error: DowserError): void {
    if (!this.#threads.delete(thread)) return;
    for (const { call } of thread.inFlight.values()) call.settle(error);
    if (!thread.isReady && !this.isReady) this.#failAll(error);
    this.#pump();
  }

  #failAll(error: DowserError): void {
    for (const waiter of this.#startWaiters.splice(0)) waiter.reject(error);
    for (const call of [...this.#calls]) call.settle(error);
  }

  #forget(call: Call): void {
    this.#queues[call.as] = this.#queues[call.as].filter((task) => task.call !== call);
    for (const thread of this.#threads) {
      for (const task of [...thread.inFlight.values()].filter((candidate) => candidate.call === call)) {
        thread.inFlight.delete(task.id);
        post(thread, { type: 'drop', id: task.id });
      }
    }
    if (!this.#isClosed) this.#pump();
  }

  /** Lets the running text finish: ending a thread inside the native runtime is not safe on every platform. */
  async #end(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    const gone = new Promise<void>((resolve) => thread.worker.once('exit', () => resolve()));
    thread.worker.ref();
    post(thread, { type: 'close' });
    const timer = setTimeout(() => void thread.worker.terminate(), CLOSE_GRACE_MS);
    await gone;
    clearTimeout(timer);
  }

  #unavailable(what: string, cause?: unknown): DowserError {
    return new DowserError('EMBEDDER_UNAVAILABLE', `The embedder ${this.#options.name} ${what}.`, { cause });
  }
}

function post(thread: Thread, message: ToWorker): void {
  thread.worker.postMessage(message);
}
