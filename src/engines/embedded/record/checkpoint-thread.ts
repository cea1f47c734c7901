import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SQLITE_LIBRARY } from './database.ts';

const STATE = 0;
const IDLE = 0;
const RUNNING = 1;

/** A thread that cannot start does not say so while others wait for it. */
const MAX_WAIT_MS = 30_000;

/** A connection for each checkpoint: the database has no other one when it is closed. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require(workerData.library);
  parentPort.on('message', () => {
    try {
      const database = new DatabaseSync(workerData.file);
      try {
        database.exec('PRAGMA synchronous = FULL');
        database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } finally {
        database.close();
      }
    } catch {
      // The writes are in the log, and the next checkpoint copies them.
    }
    Atomics.store(workerData.state, ${STATE}, ${IDLE});
    Atomics.notify(workerData.state, ${STATE});
    parentPort.postMessage('done');
  });
`;

/** Copies the log into the database in a thread of its own: the event loop would wait for the disk, and 100 ms more for 80 MB. */
export class CheckpointThread {
  readonly #file: string;
  readonly #state = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves at its end, also if it failed. Nothing may be written until then. */
  async run(): Promise<void> {
    Atomics.store(this.#state, STATE, RUNNING);
    try {
      this.#worker ??= this.#start();
      const worker = this.#worker;
      worker.ref();
      worker.postMessage('copy');
      await once(worker, 'message');
      worker.unref();
    } catch {
      // The writes are in the log, and the next checkpoint copies them.
      this.#worker = null;
      Atomics.store(this.#state, STATE, IDLE);
    }
  }

  /** Blocks until the end of the one that runs. */
  finish(): void {
    Atomics.wait(this.#state, STATE, RUNNING, MAX_WAIT_MS);
  }

  close(): void {
    void this.#worker?.terminate();
    this.#worker = null;
  }

  #start(): Worker {
    const workerData = { file: this.#file, library: SQLITE_LIBRARY, state: this.#state };
    const worker = new Worker(THREAD, { eval: true, workerData, execArgv: [] });
    // A thread that dies between two checkpoints must not end the process. The next checkpoint starts another one.
    worker.on('error', () => {
      this.#worker = null;
    });
    return worker;
  }
}
