import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import type { FileChange } from '../contract/document-requests.ts';
import type { Documents } from '../contract/documents.ts';

/** A write costs a sync of the disk, and other requests wait while it is applied: some ten chunks take a millisecond. */
const MAX_CHARS = 20_000;
const MAX_FILES = 32;

const REFUSALS: readonly ErrorCode[] = ['INVALID_REQUEST', 'BODY_TOO_LARGE'];
const isRefusal = (error: unknown) => REFUSALS.includes(toDowserError(error).code);

/** How long to rest after a write, as a multiple of its time: the others who ask the server have three fifths of it. */
const REST_TIMES = 1.5;
/** A server that was stopped for a while does not stop the scan for as long again. */
const MAX_REST_MS = 1000;

export interface SendOptions {
  readonly onRefused: (file: FileChange, error: unknown) => void;
  /** Rest after each write for longer than it took, so that others who ask the server have most of its time. Default false. */
  readonly rests?: boolean | undefined;
  /** Waits that many milliseconds. Default: a timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Sends files in batches, one batch at a time, while the next one is read. */
export class SendQueue {
  readonly #documents: Pick<Documents, 'putFiles'>;
  readonly #collection: string;
  readonly #options: SendOptions;
  #batch: FileChange[] = [];
  #chars = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(documents: Pick<Documents, 'putFiles'>, collection: string, options: SendOptions) {
    this.#documents = documents;
    this.#collection = collection;
    this.#options = options;
  }

  async add(file: FileChange, chars: number): Promise<void> {
    this.#batch.push(file);
    this.#chars += chars;
    if (this.#batch.length >= MAX_FILES || this.#chars >= MAX_CHARS) await this.#send();
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#chars = 0;
    // No more than two batches are in memory.
    await this.#sending;
    if (batch.length > 0) {
      this.#sending = this.#store(batch);
      // A failure is thrown where it is awaited next.
      this.#sending.catch(() => {});
    }
  }

  async #store(batch: readonly FileChange[]): Promise<void> {
    try {
      const start = performance.now();
      await this.#documents.putFiles(this.#collection, { put: [...batch] });
      const { rests = false, pause = setTimeout } = this.#options;
      if (rests) await pause(Math.min(MAX_REST_MS, REST_TIMES * (performance.now() - start)));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (batch.length === 1) this.#options.onRefused(batch[0]!, error);
      else for (const file of batch) await this.#store([file]);
    }
  }
}
