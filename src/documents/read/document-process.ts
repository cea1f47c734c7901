import type { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { DowserError } from '../../model/errors.ts';
import { checkOptions } from '../chunk/chunk-document.ts';
import {
  DEFAULT_READ_LIMITS,
  type DocumentReader,
  type ReadFailureCode,
  type ReadInput,
  type ReadLimits,
  type ReadOptions,
  type ReadResult,
} from './document-reader.ts';
import type { ReadDone, ReadJob } from './messages.ts';
import { startReadProcess } from './start-process.ts';

/** A scan reads its next file sooner than this. */
const IDLE_MS = 10_000;
/** V8 gives up with these when its heap is full, and the memory watch of the process with SIGKILL. */
const OUT_OF_MEMORY: readonly (string | number | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP', 134];

interface Waiting {
  readonly job: ReadJob;
  settle(result: ReadResult): void;
  reject(error: unknown): void;
}

/** The reader of documents. The first file starts the process. */
export function openDocumentReader(limits: Partial<ReadLimits> = {}, start = startReadProcess): DocumentReader {
  return new DocumentProcess({ ...DEFAULT_READ_LIMITS, ...limits }, start);
}

class DocumentProcess implements DocumentReader {
  readonly #limits: ReadLimits;
  readonly #start: (limits: ReadLimits) => ChildProcess;
  readonly #queue: Waiting[] = [];
  #child: ChildProcess | undefined;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(limits: ReadLimits, start: (limits: ReadLimits) => ChildProcess) {
    this.#limits = limits;
    this.#start = start;
  }

  read(input: ReadInput, { signal, chunk }: ReadOptions = {}): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (chunk !== undefined) checkOptions(chunk.options);
      if (this.#isClosed) throw closedError();
      const abort = () => this.#drop(waiting, signal?.reason);
      const over = () => signal?.removeEventListener('abort', abort);
      const waiting: Waiting = {
        job: { id: this.#nextId++, input, limits: this.#limits, chunk },
        settle: (result) => {
          over();
          resolve(result);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#queue.push(waiting);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...(this.#current === undefined ? [] : [this.#current]), ...this.#queue.splice(0)];
    this.#current = undefined;
    for (const waiting of open) waiting.reject(closedError());
    await this.#end();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    clearTimeout(this.#timer);
    const waiting = this.#queue.shift();
    if (waiting === undefined) {
      this.#rest();
      return;
    }
    this.#current = waiting;
    const child = this.#started();
    child.ref();
    child.channel?.ref();
    this.#timer = setTimeout(() => this.#giveUp('timeout'), this.#limits.timeoutMs);
    // A process that has just died does not take the message. Its `exit` event settles the file.
    child.send(waiting.job, () => undefined);
  }

  /** Idle: the process may end with the program, and ends by itself after a while. */
  #rest(): void {
    this.#child?.unref();
    this.#child?.channel?.unref();
    this.#timer = setTimeout(() => void this.#end(), IDLE_MS);
    this.#timer.unref();
  }

  #started(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = this.#start(this.#limits);
    child.on('message', ({ id, result }: ReadDone) => {
      if (child === this.#child && this.#current?.job.id === id) this.#finish(result);
    });
    child.once('error', () => this.#gone(child, null));
    child.once('exit', (code, signal) => this.#gone(child, signal ?? code));
    this.#child = child;
    return child;
  }

  #gone(child: ChildProcess, how: string | number | null): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    if (this.#current !== undefined)
      this.#finish(this.#failure(OUT_OF_MEMORY.includes(how) ? 'too_much_memory' : 'crashed'));
  }

  /** Ends the process with the file it is stuck in. */
  #giveUp(code: ReadFailureCode): void {
    const failure = this.#failure(code);
    this.#kill();
    this.#finish(failure);
  }

  #failure(code: ReadFailureCode): ReadResult {
    const { input } = this.#current!.job;
    const name = 'path' in input ? basename(input.path) : input.name;
    const { timeoutMs, maxMemoryBytes } = this.#limits;
    if (code === 'timeout') {
      return { failed: code, message: `Reading ${name} takes longer than ${timeoutMs / 1000} s. It was skipped.` };
    }
    if (code === 'too_much_memory') {
      const limit = `${Math.round(maxMemoryBytes / 1e6)} MB`;
      return { failed: code, message: `Reading ${name} takes more than ${limit} of memory. It was skipped.` };
    }
    return { failed: code, message: `The process that read ${name} stopped. The file was skipped.` };
  }

  #finish(result: ReadResult): void {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(this.#timer);
    current?.settle(result);
    this.#next();
  }

  #drop(waiting: Waiting, reason: unknown): void {
    const place = this.#queue.indexOf(waiting);
    if (place >= 0) this.#queue.splice(place, 1);
    else if (waiting === this.#current) {
      this.#kill();
      this.#current = undefined;
      clearTimeout(this.#timer);
    }
    waiting.reject(reason);
    this.#next();
  }

  #kill(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // An idle process does not keep the program running, and the program would end before this does.
    child.ref();
    this.#kill();
    await exited;
  }
}

const closedError = () => new DowserError('INTERNAL', 'The document reader is closed.');
