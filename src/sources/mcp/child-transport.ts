import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client';

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Of one message; a longer one ends the connection. */
  readonly maxBytes: number;
}

/** How long a process is given to leave by itself, and after being asked to. */
const GRACE_MS = 500;
/** Enough to hold the reason for which a process gave up. */
const STDERR_CHARS = 4000;

/** What is still running, for the case that this process is told to end at once. */
const running = new Set<ChildTransport>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Speaks MCP to a process over its standard input and output. Unlike the SDK's own transport it leads a process group: what
 * `npx` or a shell script started in turn ends with it, and ends within a second of `close`.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: ChildOptions;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #drained: Promise<void> = Promise.resolve();
  #stderr = '';
  #outcome: string | null = null;
  #closed = false;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** The end of what the process wrote to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** How the process ended by itself, in words; null while it runs, or when it was ended from here. */
  get outcome(): string | null {
    return this.#outcome;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        env,
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
        ...(cwd === undefined ? {} : { cwd }),
      });
      this.#child = child;
      this.#ended = new Promise((ended) => {
        child.once('exit', (code, signal) => {
          if (!this.#closed)
            this.#outcome = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
          running.delete(this);
          ended();
        });
        child.once('error', () => ended());
      });
      // Not before its output is read to the end: the reason may still be in the pipe.
      this.#drained = new Promise((drained) => {
        child.once('close', () => {
          drained();
          this.onclose?.();
        });
      });
      child.once('spawn', () => {
        running.add(this);
        resolve();
      });
      child.once('error', (error) => {
        reject(error);
        this.onerror?.(error);
      });
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
      });
    });
  }

  /** A pipe breaks a moment before its process is known to have ended: then the end, which has the reason, is waited for. */
  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(serializeMessage(message));
    } catch (error) {
      await within(GRACE_MS, this.#drained);
      throw error;
    }
  }

  #write(text: string): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin == null || !stdin.writable) return Promise.reject(new Error('The process no longer reads its input.'));
    return new Promise((resolve, reject) => {
      stdin.write(text, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  /** Closes the input, which ends a well-behaved server; then asks; then insists. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || this.#closed) return;
    this.#closed = true;
    child.stdin?.end();
    if (!(await within(GRACE_MS, this.#ended))) {
      this.kill('SIGTERM');
      await within(GRACE_MS, this.#ended);
    }
    // Also when the leader has ended: what it started may still be there.
    this.kill('SIGKILL');
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
      // Nothing of the group is left.
    }
  }

  #read(chunk: Buffer): void {
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
    this.onerror?.(new Error(`A message of the server is longer than ${this.#options.maxBytes} bytes.`));
    this.#outcome = `sent a message of more than ${this.#options.maxBytes} bytes`;
    void this.close();
  }

  /** Lines that are no message are passed over: many servers greet people on their standard output. */
  #take(line: string): void {
    if (!line.startsWith('{')) return;
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

/** Whether something happens in time. */
async function within(ms: number, event: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const happened = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return happened;
}
