import type { ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import type { ReadFailure, ReadFailureCode, ReadLimits, ReadResult } from '../contract/document-reader.ts';
import type { ReadDone, ReadJob } from './messages.ts';

/** V8 gives up with these when its heap is full, and the watch of the process with SIGKILL. */
const OUT_OF_MEMORY: readonly (string | number | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP', 134];
/** The watch of the process ends it with this when a file has used its processor time. */
const OUT_OF_TIME = 'SIGXCPU';

export type StartProcess = (limits: ReadLimits) => ChildProcess;

interface Running {
  readonly job: ReadJob;
  readonly timer: NodeJS.Timeout;
  settle(result: ReadResult): void;
}

/** A process that reads one file at a time. The first file starts it, and one that ends it costs only itself. */
export class ReadingProcess {
  readonly #limits: ReadLimits;
  readonly #start: StartProcess;
  #child: ChildProcess | undefined;
  #running: Running | undefined;

  constructor(limits: ReadLimits, start: StartProcess) {
    this.#limits = limits;
    this.#start = start;
  }

  get isStarted(): boolean {
    return this.#child !== undefined;
  }

  /** Never rejects. Never settles if `stop` is called before. Legal only while no other file is read. */
  read(job: ReadJob): Promise<ReadResult> {
    return new Promise((settle) => {
      const timer = setTimeout(() => this.#giveUp(), this.#limits.timeoutMs);
      this.#running = { job, timer, settle };
      try {
        const child = this.#started();
        child.ref();
        child.channel?.ref();
        // A process that has just died does not take the message. Its `exit` event settles the file.
        child.send(job, () => undefined);
      } catch {
        // The system starts no process: it has no file handle or no memory left.
        this.#child = undefined;
        this.#finish(failureOf(job, null));
      }
    });
  }

  /** Ends the process with the file that it reads. The next file starts another. */
  stop(): void {
    clearTimeout(this.#running?.timer);
    this.#running = undefined;
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
  }

  /** Resolves when the process is gone. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // An idle process does not keep the program running, and the program would end before this does.
    child.ref();
    this.stop();
    await exited;
  }

  #started(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = this.#start(this.#limits);
    child.on('message', ({ id, result }: ReadDone) => {
      if (child === this.#child && this.#running?.job.id === id) this.#finish(result);
    });
    child.once('error', () => this.#gone(child, null));
    child.once('exit', (code, signal) => this.#gone(child, signal ?? code));
    this.#child = child;
    return child;
  }

  #gone(child: ChildProcess, how: string | number | null): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    if (this.#running !== undefined) this.#finish(failureOf(this.#running.job, how));
  }

  #giveUp(): void {
    const { job, settle } = this.#running!;
    this.stop();
    settle(failed(job, 'timeout', `takes longer than ${this.#limits.timeoutMs / 1000} s. It was skipped.`));
  }

  #finish(result: ReadResult): void {
    const { timer, settle } = this.#running!;
    clearTimeout(timer);
    this.#running = undefined;
    // Idle: the process may end with the program.
    this.#child?.unref();
    this.#child?.channel?.unref();
    settle(result);
  }
}

function failureOf(job: ReadJob, how: string | number | null): ReadFailure {
  if (how === OUT_OF_TIME) {
    return failed(job, 'timeout', 'takes more processor time than a file of its size may. It was skipped.');
  }
  if (OUT_OF_MEMORY.includes(how)) {
    const limit = `${Math.round(job.limits.maxMemoryBytes / 1e6)} MB`;
    return failed(job, 'too_much_memory', `takes more than ${limit} of memory. It was skipped.`);
  }
  const message = `The process that read ${nameOf(job)} stopped. The file was skipped.`;
  return { failed: 'crashed', message };
}

const failed = (job: ReadJob, code: ReadFailureCode, why: string): ReadFailure => ({
  failed: code,
  message: `Reading ${nameOf(job)} ${why}`,
});

const nameOf = ({ input }: ReadJob): string => ('path' in input ? basename(input.path) : input.name);
