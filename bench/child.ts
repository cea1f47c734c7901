import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wrongAnswer } from './check-answers.ts';
import type { Contender, Found } from './contenders/contender.ts';
import { CONTENDERS } from './contenders/contenders.ts';
import type { BenchQuery } from './corpus/corpus.ts';
import { type Questions, readCorpus, readQuestions, readUnits } from './corpus/corpus-files.ts';
import { recallOf } from './corpus/exact-neighbours.ts';
import { type BuildFigures, type SearchFigures, timingOf } from './figures.ts';

/** What the parent asks of this process, as JSON in its only argument. */
export interface ChildTask {
  readonly contender: string;
  /** `all` builds and searches in one process, for what lives in memory only. */
  readonly phase: 'build' | 'search' | 'all';
  readonly corpusFolder: string;
  readonly storeFolder: string;
  readonly warmups: number;
  readonly timed: number;
}

/** Then, once it is `ready`, one message after the other: ask these of the timed queries, and in the end the rest. */
export type ParentMessage =
  | { readonly type: 'turn'; readonly from: number; readonly to: number; readonly limitMs: number }
  | { readonly type: 'finish' };

/** What it answers, one message after the other. */
export type ChildMessage =
  | { readonly type: 'described'; readonly version: string; readonly how: string }
  | { readonly type: 'step'; readonly text: string }
  | { readonly type: 'built'; readonly figures: BuildFigures }
  /** Open and warmed up. */
  | { readonly type: 'ready' }
  | { readonly type: 'turned' }
  /** It answered another question than the others: see `wrongAnswer`. */
  | { readonly type: 'wrong'; readonly reason: string }
  | { readonly type: 'searched'; readonly figures: SearchFigures };

/** A slow contender is not asked everything, but at least this much of each leg and in each turn. */
const LEAST_LEG = 50;
const LEAST_TURN = 10;
const LEG_MS = 15_000;
/** Asked again at the beginning of a turn, and not counted: others were at work since the last one. */
const WARM_AGAIN = 20;
const WARMUP_MS = 15_000;
const LEAST_WARMUPS = 10;

/** A contender that finds nothing is quick and useless. */
const MOST_EMPTY_SHARE = 0.05;

async function main(task: ChildTask): Promise<void> {
  const { load, durable } = CONTENDERS[task.contender]!;
  const contender = await load();
  await send({ type: 'described', version: contender.version, how: contender.how });
  const questions = readQuestions(task.corpusFolder);
  if (task.phase !== 'search') await build(contender, task, questions, durable);
  globalThis.gc?.(); // the corpus is no part of what an index in memory needs
  if (task.phase !== 'build') await search(contender, task, questions, durable);
  await contender.close();
}

async function build(contender: Contender, task: ChildTask, { queries }: Questions, durable: boolean): Promise<void> {
  await send({ type: 'step', text: 'indexing' });
  const corpus = readCorpus(task.corpusFolder, queries);
  const start = performance.now();
  await contender.build(corpus, task.storeFolder);
  const seconds = (performance.now() - start) / 1000;
  await send({ type: 'built', figures: { seconds, bytes: durable ? bytesIn(task.storeFolder) : null } });
}

async function search(contender: Contender, task: ChildTask, questions: Questions, durable: boolean): Promise<void> {
  await send({ type: 'step', text: 'opening' });
  const { queries } = questions;
  const opening = performance.now();
  await contender.open(task.storeFolder, questions);
  const openMs = durable ? performance.now() - opening : null;
  const [first, ...others] = queries.slice(0, task.warmups);
  const firstAnswerMs = await elapsed(() => contender.hybrid(first!));

  await send({ type: 'step', text: 'warming up' });
  await durationsOf(others, (query) => contender.hybrid(query), { least: LEAST_WARMUPS, limitMs: WARMUP_MS });
  const rssBytes = process.memoryUsage.rss();

  const turns = new Turns(contender, queries.slice(0, task.warmups), queries.slice(task.warmups));
  await send({ type: 'ready' });
  for (;;) {
    const message = await nextMessage();
    if (message.type === 'finish') break;
    await turns.take(message);
    await send({ type: 'turned' });
  }
  const { hybrid, cpuMs, answers } = turns.result();
  const rest = await askLegs(contender, task, questions, answers);
  if (rest !== null)
    await send({ type: 'searched', figures: { openMs, firstAnswerMs, rssBytes, cpuMs, hybrid, ...rest } });
}

/** Hybrid searches, some at a time. */
class Turns {
  readonly #contender: Contender;
  readonly #warm: readonly BenchQuery[];
  readonly #timed: readonly BenchQuery[];
  readonly #answers: (readonly Found[])[] = [];
  readonly #durations: number[] = [];
  #cpuMicroseconds = 0;

  constructor(contender: Contender, warm: readonly BenchQuery[], timed: readonly BenchQuery[]) {
    this.#contender = contender;
    this.#warm = warm;
    this.#timed = timed;
  }

  async take({ from, to, limitMs }: ParentMessage & { readonly type: 'turn' }): Promise<void> {
    const ask = (query: BenchQuery) => this.#contender.hybrid(query);
    const limit = { least: LEAST_TURN, limitMs };
    await durationsOf(this.#warm.slice(-WARM_AGAIN), ask, { least: 1, limitMs: limitMs / 10 });
    const before = process.cpuUsage();
    const keep = async (query: BenchQuery) => void this.#answers.push(await ask(query));
    this.#durations.push(...(await durationsOf(this.#timed.slice(from, to), keep, limit)));
    const { user, system } = process.cpuUsage(before);
    this.#cpuMicroseconds += user + system;
  }

  result(): Pick<SearchFigures, 'hybrid' | 'cpuMs'> & { readonly answers: readonly (readonly Found[])[] } {
    const hybrid = timingOf(this.#durations);
    const empty = this.#answers.filter((answer) => answer.length === 0).length;
    if (empty > MOST_EMPTY_SHARE * hybrid.count) throw new Error(`${empty} of ${hybrid.count} searches found nothing.`);
    return { hybrid, cpuMs: this.#cpuMicroseconds / 1000 / hybrid.count, answers: this.#answers };
  }
}

/** Null when an answer was wrong: the parent has been told. */
async function askLegs(
  contender: Contender,
  task: ChildTask,
  { queries, exact }: Questions,
  answers: readonly (readonly Found[])[],
): Promise<Pick<SearchFigures, 'keyword' | 'vector' | 'recall'> | null> {
  const legQueries = queries.slice(task.warmups + task.timed);
  const legs = { least: LEAST_LEG, limitMs: LEG_MS };
  const keyword = timingOf(await durationsOf(legQueries, (query) => contender.keyword(query), legs));
  const vector = timingOf(await durationsOf(legQueries, (query) => contender.vector(query), legs));

  await send({ type: 'step', text: 'comparing with exact neighbours' });
  const asked = queries.slice(task.warmups, task.warmups + exact.length);
  const found: (readonly string[])[] = [];
  for (const query of asked) found.push(await contender.vector(query));
  const recall = recallOf(found, exact.slice(0, found.length));
  const byKeyword: (readonly string[])[] = [];
  for (const query of asked) byKeyword.push(await contender.keyword(query));
  const reason = wrongAnswer(readUnits(task.corpusFolder), { hybrid: answers, legs: [...found, ...byKeyword] });
  if (reason === null) return { keyword, vector, recall };
  await send({ type: 'wrong', reason });
  return null;
}

interface Patience {
  readonly least: number;
  readonly limitMs: number;
}

/** Asks one question after the other, never two at once, until all are asked or patience ends. */
async function durationsOf(
  queries: readonly BenchQuery[],
  ask: (query: BenchQuery) => unknown,
  { least, limitMs }: Patience,
): Promise<readonly number[]> {
  const durations: number[] = [];
  const end = performance.now() + limitMs;
  for (const query of queries) {
    durations.push(await elapsed(() => ask(query)));
    if (durations.length >= least && performance.now() > end) break;
  }
  return durations;
}

async function elapsed(ask: () => unknown): Promise<number> {
  const start = performance.now();
  await ask();
  return performance.now() - start;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function nextMessage(): Promise<ParentMessage> {
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(message as ParentMessage));
  });
}

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}

await main(JSON.parse(process.argv[2] ?? '{}') as ChildTask);
// Native threads of a contender may still be up, and nothing is left to do.
process.exit(0);
