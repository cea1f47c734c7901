import { fork } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChildMessage, ChildTask } from './child.ts';
import { CONTENDERS, titleOf } from './contenders/contenders.ts';
import { type Measured, middleFigures, type NotMeasured, type Outcome, type SearchFigures } from './figures.ts';

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
  /** For each process of a contender. */
  readonly limitMinutes: number;
  readonly onStep: (text: string) => void;
}

/** A contender returned hidden entities, or no texts. Its figures would not be comparable. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

/**
 * One contender, measured in processes of its own: what it builds, leaks or breaks is no other's business. It is built
 * once and then searched round by round, each in a new process, so that a minute in which the machine is slow does not
 * decide. What lives in memory only is built and searched once: to build it again would take longer than all the rest.
 *
 * Throws a `WrongAnswerError` when it answered another question than the one that all are asked.
 */
export class ContenderRun {
  readonly #contender: string;
  readonly #settings: RunSettings;
  readonly #storeFolder: string;
  readonly #searches: SearchFigures[] = [];
  #collected: Collected = {};
  #notMeasured: NotMeasured | null = null;

  constructor(contender: string, settings: RunSettings) {
    this.#contender = contender;
    this.#settings = settings;
    this.#storeFolder = join(settings.workFolder, contender);
  }

  /** Whether there is anything to search for: it has not failed, and it can be searched again. */
  get wantsRound(): boolean {
    return this.#notMeasured === null && (CONTENDERS[this.#contender]!.durable || this.#searches.length === 0);
  }

  async build(): Promise<void> {
    mkdirSync(this.#storeFolder, { recursive: true });
    if (CONTENDERS[this.#contender]!.durable) await this.#run('build');
  }

  /** The figures of this round; undefined when it could not be measured. */
  async searchRound(): Promise<SearchFigures | undefined> {
    await this.#run(CONTENDERS[this.#contender]!.durable ? 'search' : 'all');
    return this.#notMeasured === null ? this.#searches.at(-1) : undefined;
  }

  /** Of each figure, what the round in the middle had. */
  outcome(): Outcome {
    if (this.#notMeasured !== null) return this.#notMeasured;
    const { version, how, build } = this.#collected;
    const search = middleFigures(this.#searches);
    if (version === undefined || how === undefined || build === undefined || search === undefined) {
      return { status: 'failed', reason: 'It ended without an answer.' };
    }
    return { status: 'measured', version, how, build, search };
  }

  close(): void {
    rmSync(this.#storeFolder, { recursive: true, force: true });
  }

  async #run(phase: ChildTask['phase']): Promise<void> {
    const { corpusFolder, warmups, timed } = this.#settings;
    const task = { contender: this.#contender, phase, corpusFolder, storeFolder: this.#storeFolder, warmups, timed };
    const part = await runChild(task, this.#settings);
    if ('status' in part) this.#notMeasured = part;
    else {
      this.#collected = { ...this.#collected, ...part };
      if (part.search !== undefined) this.#searches.push(part.search);
    }
  }
}

type Collected = Partial<Omit<Measured, 'status'>>;

function runChild(task: ChildTask, { limitMinutes, onStep }: RunSettings): Promise<Collected | NotMeasured> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('child.ts', import.meta.url)), [JSON.stringify(task)], {
      execArgv: ['--import', import.meta.resolve('tsx'), '--expose-gc', `--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let collected: Collected = {};
    let complaints = '';
    let late = false;
    let wrong: string | null = null;
    const limit = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limitMinutes * 60_000);
    child.stderr!.on('data', (text: Buffer) => {
      complaints = (complaints + text.toString()).slice(-20_000);
    });
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'step') onStep(message.text);
      else if (message.type === 'built') collected = { ...collected, build: message.figures };
      else if (message.type === 'wrong') wrong = message.reason;
      else if (message.type === 'searched') collected = { ...collected, search: message.figures };
      else {
        const { version, how } = message;
        collected = { ...collected, version, how };
      }
    });
    child.on('close', (code) => {
      clearTimeout(limit);
      if (wrong !== null) reject(new WrongAnswerError(`${titleOf(task.contender)}: ${wrong}`));
      else if (late) resolve({ status: 'capped', reason: `not done within ${limitMinutes} minutes` });
      else if (complaints.includes('JavaScript heap out of memory')) {
        resolve({ status: 'capped', reason: `wants more than ${HEAP_MB / 1024} GB of heap` });
      } else if (code !== 0) resolve({ status: 'failed', reason: reasonIn(complaints, code) });
      else resolve(collected);
    });
  });
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
