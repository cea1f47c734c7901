import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildMessage, ChildTask, ParentMessage } from './child.ts';
import { CONTENDERS, titleOf } from './contenders/contenders.ts';
import type { Measured, NotMeasured, Outcome } from './figures.ts';

/** More than any contender should need; past it a figure would say nothing about its search. */
const HEAP_MB = 6144;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Enough to know why. */
const REASON_CHARS = 300;

export interface RunSettings {
  readonly corpusFolder: string;
  readonly workFolder: string;
  readonly warmups: number;
  readonly timed: number;
  /** For each step of a contender. */
  readonly limitMinutes: number;
  readonly onStep: (text: string) => void;
}

/** A contender answered with what nobody may find, or without the texts: what is measured then compares nothing. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

type Collected = Partial<Omit<Measured, 'status'>>;

/**
 * One contender, measured in processes of its own: what it builds, leaks or breaks is no other's business. It is built and
 * warmed up, then asked in turns, so that a minute in which the machine is slow is slow for everybody; `finish` asks the
 * rest and has the outcome. Once it has failed, nothing more is asked of it.
 */
export class ContenderRun {
  readonly #contender: string;
  readonly #settings: RunSettings;
  readonly #storeFolder: string;
  #child: ContenderProcess | null = null;
  #collected: Collected = {};
  #notMeasured: NotMeasured | null = null;

  constructor(contender: string, settings: RunSettings) {
    this.#contender = contender;
    this.#settings = settings;
    this.#storeFolder = join(settings.workFolder, contender);
  }

  get notMeasured(): NotMeasured | null {
    return this.#notMeasured;
  }

  async prepare(): Promise<void> {
    mkdirSync(this.#storeFolder, { recursive: true });
    const isDurable = CONTENDERS[this.#contender]!.durable;
    if (isDurable) {
      this.#start('build');
      await this.#until('end');
    }
    this.#start(isDurable ? 'search' : 'all');
    await this.#until('ready');
  }

  async turn(from: number, to: number, limitMs: number): Promise<void> {
    this.#tell({ type: 'turn', from, to, limitMs });
    await this.#until('turned');
  }

  /** Throws a `WrongAnswerError` when it answered another question than the one that all are asked. */
  async finish(): Promise<Outcome> {
    this.#tell({ type: 'finish' });
    await this.#until('end');
    this.close();
    if (this.#notMeasured !== null) return this.#notMeasured;
    const { version, how, build, search } = this.#collected;
    if (version === undefined || how === undefined || build === undefined || search === undefined) {
      return { status: 'failed', reason: 'It ended without an answer.' };
    }
    return { status: 'measured', version, how, build, search };
  }

  close(): void {
    this.#child?.kill();
    rmSync(this.#storeFolder, { recursive: true, force: true });
  }

  #start(phase: ChildTask['phase']): void {
    if (this.#notMeasured !== null) return;
    const { corpusFolder, warmups, timed } = this.#settings;
    const task = { contender: this.#contender, phase, corpusFolder, storeFolder: this.#storeFolder, warmups, timed };
    this.#child = new ContenderProcess(task);
  }

  #tell(message: ParentMessage): void {
    if (this.#notMeasured === null) this.#child!.tell(message);
  }

  async #until(awaited: 'ready' | 'turned' | 'end'): Promise<void> {
    const { limitMinutes, onStep } = this.#settings;
    while (this.#notMeasured === null) {
      const message = await this.#child!.next(limitMinutes * 60_000);
      if (message.type === 'step') onStep(message.text);
      else if (message.type === 'built') this.#collected = { ...this.#collected, build: message.figures };
      else if (message.type === 'searched') this.#collected = { ...this.#collected, search: message.figures };
      else if (message.type === 'described') {
        const { version, how } = message;
        this.#collected = { ...this.#collected, version, how };
      } else if (message.type === 'wrong') {
        throw new WrongAnswerError(`${titleOf(this.#contender)}: ${message.reason}`);
      } else if (message.type === 'late') {
        this.#notMeasured = { status: 'capped', reason: `not done within ${limitMinutes} minutes` };
      } else if (message.type === 'end') {
        this.#notMeasured = notMeasuredBy(message);
        if (awaited === 'end') return;
        this.#notMeasured ??= { status: 'failed', reason: 'It ended without an answer.' };
      } else if (message.type === awaited) return;
    }
  }
}

interface Ending {
  readonly type: 'end';
  readonly code: number | null;
  readonly complaints: string;
}

function notMeasuredBy({ code, complaints }: Ending): NotMeasured | null {
  if (complaints.includes('JavaScript heap out of memory')) {
    return { status: 'capped', reason: `wants more than ${HEAP_MB / 1024} GB of heap` };
  }
  return code === 0 ? null : { status: 'failed', reason: reasonIn(complaints, code) };
}

/** What a process says, one message after the other, and in the end how it ended. */
class ContenderProcess {
  readonly #child: ChildProcess;
  readonly #said: (ChildMessage | Ending)[] = [];
  #wake: (() => void) | null = null;
  #complaints = '';

  constructor(task: ChildTask) {
    this.#child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [JSON.stringify(task)], {
      execArgv: ['--import', import.meta.resolve('tsx'), '--expose-gc', `--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr!.on('data', (text: Buffer) => {
      this.#complaints = (this.#complaints + text.toString()).slice(-20_000);
    });
    this.#child.on('message', (message: ChildMessage) => this.#hear(message));
    this.#child.on('close', (code) => this.#hear({ type: 'end', code, complaints: this.#complaints }));
    // What it was told too late comes back as an error; that it has ended is heard anyway.
    this.#child.on('error', () => undefined);
  }

  tell(message: ParentMessage): void {
    this.#child.send(message, () => undefined);
  }

  /** `late` when it says nothing for so long; then it is killed. */
  async next(limitMs: number): Promise<ChildMessage | Ending | { readonly type: 'late' }> {
    if (this.#said.length === 0) {
      const limit = setTimeout(() => this.#wake?.(), limitMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(limit);
      this.#wake = null;
    }
    const message = this.#said.shift();
    if (message === undefined) this.kill();
    return message ?? { type: 'late' };
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #hear(message: ChildMessage | Ending): void {
    this.#said.push(message);
    this.#wake?.();
  }
}

/** The error's own line, where there is one, without the folders of this machine. */
function reasonIn(complaints: string, code: number | null): string {
  const line = complaints.split('\n').find((text) => /^\s*(\w*Error\b|\[Error).*:/.test(text)) ?? complaints;
  const plain = line
    .replace(/ imported from .*/, '')
    .replaceAll(ROOT, '')
    .trim();
  return plain === '' ? `exit code ${code}` : plain.slice(0, REASON_CHARS);
}
