import { DowserError } from '../../model/errors/errors.ts';
import { checkOptions } from '../chunk/chunk-document.ts';
import {
  DEFAULT_READ_LIMITS,
  type DocumentReader,
  type ReadInput,
  type ReadLimits,
  type ReadOptions,
  type ReadResult,
} from '../contract/document-reader.ts';
import type { ReadJob } from './messages.ts';
import { type FileTurn, ReadTurns } from './read-turns.ts';
import { ReadingProcess, type StartProcess } from './reading-process.ts';
import { startReadProcess } from './start-process.ts';

/** A scan reads its next file sooner than this. */
const IDLE_MS = 10_000;
/** Most files are read in far less, with the start of a process. */
const TURN_MS = 3000;
/** Two callers with slow files, and one with a small one. */
const PROCESSES = 3;

export interface ReaderPool {
  /** Files that are read at once. Default 3. One caller alone gets one less. */
  readonly processes?: number;
  /** A file that has been read for this long makes room for one that waits, and is read again. Default 3000. */
  readonly turnMs?: number;
  readonly start?: StartProcess;
}

/** The reader of documents. A file starts a process if none is free. */
export function openDocumentReader(limits: Partial<ReadLimits> = {}, pool: ReaderPool = {}): DocumentReader {
  return new PooledReader({ ...DEFAULT_READ_LIMITS, ...limits }, pool);
}

interface OpenFile extends FileTurn {
  readonly job: ReadJob;
  process?: ReadingProcess | undefined;
  turn?: NodeJS.Timeout | undefined;
  settle(result: ReadResult): void;
  reject(error: unknown): void;
}

class PooledReader implements DocumentReader {
  readonly #limits: ReadLimits;
  readonly #turnMs: number;
  readonly #turns: ReadTurns<OpenFile>;
  readonly #processes: readonly ReadingProcess[];
  readonly #free: ReadingProcess[];
  readonly #open = new Set<OpenFile>();
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(limits: ReadLimits, { processes = PROCESSES, turnMs = TURN_MS, start = startReadProcess }: ReaderPool) {
    this.#limits = limits;
    this.#turnMs = turnMs;
    this.#turns = new ReadTurns(processes);
    this.#processes = Array.from({ length: processes }, () => new ReadingProcess(limits, start));
    this.#free = [...this.#processes];
  }

  read(input: ReadInput, { signal, chunk, caller = '' }: ReadOptions = {}): Promise<ReadResult> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (chunk !== undefined) checkOptions(chunk.options);
      if (this.#isClosed) throw closedError();
      const id = this.#nextId++;
      const abort = () => this.#end(file, () => reject(signal?.reason));
      const over = () => signal?.removeEventListener('abort', abort);
      const file: OpenFile = {
        id,
        caller,
        isSlow: false,
        began: 0,
        job: { id, input, limits: this.#limits, chunk },
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
      this.#open.add(file);
      this.#turns.add(file);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const file of this.#open) {
      clearTimeout(file.turn);
      file.reject(closedError());
    }
    this.#open.clear();
    await this.#endProcesses();
  }

  #next(): void {
    if (this.#isClosed) return;
    for (
      let file = this.#turns.begin() ?? this.#madeRoom();
      file !== undefined;
      file = this.#turns.begin() ?? this.#madeRoom()
    ) {
      this.#begin(file);
    }
    clearTimeout(this.#idle);
    if (!this.#turns.isIdle) return;
    this.#idle = setTimeout(() => void this.#endProcesses(), IDLE_MS);
    this.#idle.unref();
  }

  /** The file that begins because a slow one was stopped. */
  #madeRoom(): OpenFile | undefined {
    const stopped = this.#turns.interrupt();
    if (stopped === undefined) return undefined;
    this.#leave(stopped, 'stopped');
    return this.#turns.begin();
  }

  #begin(file: OpenFile): void {
    // One that runs, if there is one.
    const started = this.#free.findIndex(({ isStarted }) => isStarted);
    const [process] = this.#free.splice(Math.max(0, started), 1);
    file.process = process!;
    file.turn = setTimeout(() => {
      file.isSlow = true;
      this.#next();
    }, this.#turnMs);
    file.turn.unref();
    void process!.read(file.job).then((result) => {
      if (file.process === process) this.#end(file, () => file.settle(result), 'done');
    });
  }

  #end(file: OpenFile, settle: () => void, how: 'done' | 'stopped' = 'stopped'): void {
    if (!this.#open.delete(file)) return;
    this.#leave(file, how);
    this.#turns.end(file);
    settle();
    this.#next();
  }

  /** The process of a file is free for others. One that still reads it ends. */
  #leave(file: OpenFile, how: 'done' | 'stopped'): void {
    const { process } = file;
    clearTimeout(file.turn);
    file.process = undefined;
    if (process === undefined) return;
    if (how === 'stopped') process.stop();
    this.#free.push(process);
  }

  async #endProcesses(): Promise<void> {
    clearTimeout(this.#idle);
    await Promise.all(this.#processes.map((process) => process.close()));
  }
}

const closedError = () => new DowserError('INTERNAL', 'The document reader is closed.');
