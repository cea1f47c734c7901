import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';
import { killMarked, RUN_VARIABLE } from './marked-processes.ts';
import { guardProcess, type ProcessGuard } from './process-guard.ts';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** The size limit of a message. A longer one ends the connection. */
  readonly maxBytes: number;
  /** How long the process has to exit. Default: `SHORT_GRACE`. */
  readonly grace?: ExitGrace | undefined;
  /** Whether to end the process also if this one is killed. Default false. */
  readonly isGuarded?: boolean | undefined;
}

/** How long to wait for a process to exit by itself when its input is closed, and again after SIGTERM. */
export interface ExitGrace {
  readonly inputMs: number;
  readonly termMs: number;
}

const SHORT_GRACE: ExitGrace = { inputMs: 500, termMs: 500 };
/** How long a broken pipe waits for the exit of its process, which has the reason. */
const EXIT_MS = 500;
/** Enough for the error message of a process. */
const STDERR_CHARS = 4000;
const STRAY_CHARS = 400;

/** The running processes, to be killed if this process must exit at once. */
const running = new Set<ChildTransport>();
process.on('exit', () => {
  for (const child of running) child.killAll();
});

/**
 * MCP with a child process over standard input and output. Unlike the SDK's transport, it starts a process group: child
 * processes of `npx` or of a shell script end too, within a second of `close`. On Linux, also those that left the group.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ChildOptions;
  /** The mark of this process and all its children. */
  readonly run = randomUUID();
  #child: ChildProcess | null = null;
  #guard: ProcessGuard | null = null;
  #ended: Promise<void> = Promise.resolve();
  #drained: Promise<void> = Promise.resolve();
  #stderr = '';
  #stray = '';
  #stderrChars = 0;
  #outcome: string | null = null;
  #closed = false;
  #parts: Buffer[] = [];
  #size = 0;
  #bytesRead = 0;
  #isTooLong = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** The last lines of standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** The first lines on standard output that are not messages. */
  get stray(): string {
    const unfinished = Buffer.concat(this.#parts).toString('utf8').slice(0, STRAY_CHARS);
    return `${this.#stray}${unfinished.trimStart().startsWith('{') ? '' : unfinished}`.trim();
  }

  /** How much it has written to standard error so far, to tell whether it makes progress. */
  get stderrChars(): number {
    return this.#stderrChars;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended by itself, in words. Null while it runs, or when Dowser ended it. */
  get outcome(): string | null {
    return this.#outcome;
  }

  /** Whether it was ended because a message of it was longer than allowed. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        env: { ...env, [RUN_VARIABLE]: this.run },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
        cwd,
      });
      this.#child = child;
      this.#ended = new Promise((ended) => {
        child.once('exit', (code, signal) => {
          if (!this.#closed) this.#outcome = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
          ended();
        });
        child.once('error', () => ended());
      });
      // Read all output first: the reason may still be in the pipe.
      this.#drained = new Promise((drained) => {
        child.once('close', () => {
          drained();
          this.#hasClosed();
        });
      });
      child.once('exit', () => this.#closeWhenQuiet());
      child.once('spawn', () => {
        running.add(this);
        if (this.#options.isGuarded === true) this.#guard = guardProcess(child.pid!, this.run);
        resolve();
      });
      child.once('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#stderrChars += text.length;
        this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
      });
    });
  }

  /** A pipe breaks before the exit of its process is known. Wait for the exit, which has the reason. */
  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(serializeMessage(message));
    } catch (error) {
      await within(EXIT_MS, this.#drained);
      throw error;
    }
  }

  /** A child of it that goes on may keep the pipe open for ever. What the process wrote before its exit is still read. */
  #closeWhenQuiet(): void {
    const before = this.#bytesRead;
    const wait = setTimeout(() => {
      // A busy event loop has not read yet what is in the pipe.
      setImmediate(() => (this.#bytesRead === before ? this.#hasClosed() : this.#closeWhenQuiet()));
    }, EXIT_MS);
    wait.unref();
  }

  #hasClosed(): void {
    const { onclose } = this;
    this.onclose = () => {};
    onclose?.();
  }

  #write(text: string): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin == null || !stdin.writable) return Promise.reject(new Error('The process no longer reads its input.'));
    return new Promise((resolve, reject) => {
      stdin.write(text, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  /** Closes the input, which ends a well-behaved server. Then SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || this.#closed) return;
    this.#closed = true;
    const { inputMs, termMs } = this.#options.grace ?? SHORT_GRACE;
    child.stdin?.end();
    if (!(await within(inputMs, this.#ended))) {
      this.kill('SIGTERM');
      await within(termMs, this.#ended);
    }
    // Even if the leader has exited: its children may still run.
    this.killAll();
    this.#guard?.release();
    running.delete(this);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child?.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group has exited.
    }
  }

  /** Kills the group and whatever has left it. */
  killAll(): void {
    if (this.#child?.pid === undefined) return;
    this.kill('SIGKILL');
    killMarked(this.run);
  }

  #read(chunk: Buffer): void {
    if (this.#isTooLong) return;
    this.#bytesRead += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(from, end)]).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      from = end + 1;
      this.#take(line.trim());
    }
    this.#parts.push(chunk.subarray(from));
    this.#size += chunk.length - from;
    if (this.#size <= this.#options.maxBytes) return;
    // The rest of the message, and what may follow it, is not taken: the process may go on writing until it has ended.
    this.#isTooLong = true;
    this.#parts = [];
    this.onerror?.(new Error(`A message of the server is longer than ${this.#options.maxBytes} bytes.`));
    this.#outcome = `sent a message of more than ${this.#options.maxBytes} bytes`;
    void this.close();
    this.#hasClosed();
  }

  /** Skips lines that are not messages: many servers print a banner to standard output. */
  #take(line: string): void {
    const message = line.startsWith('{') ? this.#parse(line) : undefined;
    if (message === undefined) {
      if (this.#stray.length < STRAY_CHARS) this.#stray = `${this.#stray}${line}\n`.slice(0, STRAY_CHARS);
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #parse(line: string): JSONRPCMessage | undefined {
    try {
      return deserializeMessage(line);
    } catch (error) {
      this.onerror?.(error as Error);
      return undefined;
    }
  }
}

/** Whether a promise settles in time. */
async function within(ms: number, event: Promise<void>): Promise<boolean> {
  return Promise.race([event.then(() => true), sleep(ms, false, { ref: false })]);
}
