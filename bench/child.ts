import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { wrongAnswer } from './check-answers.ts';
import type { Contender, Found } from './contenders/contender.ts';
import { CONTENDERS } from './contenders/contenders.ts';
import type { BenchQuery } from './corpus/corpus.ts';
import { type Questions, readCorpus, readQuestions, readUnits } from './corpus/corpus-files.ts';
import { recallOf } from './corpus/exact-neighbors.ts';
import { type BuildFigures, type SearchFigures, type Timing, timingOf } from './figures.ts';

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

/** What it answers, one message after the other. */
export type ChildMessage =
  | { readonly type: 'described'; readonly version: string; readonly how: string }
  | { readonly type: 'step'; readonly text: string }
  | { readonly type: 'built'; readonly figures: BuildFigures }
  | { readonly type: 'searched'; readonly figures: SearchFigures }
  /** It answered another question than the others: see `wrongAnswer`. */
  | { readonly type: 'wrong'; readonly reason: string };

/** A slow contender is not asked everything, but at least this much. */
const MIN_TIMED = 50;
const HYBRID_MS = 40_000;
const LEG_MS = 15_000;
const WARMUP_MS = 15_000;
const MIN_WARMUPS = 10;

/** A contender that finds nothing is quick and useless. */
const MAX_EMPTY_SHARE = 0.05;

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
  const { queries, exact } = questions;
  const opening = performance.now();
  await contender.open(task.storeFolder, questions);
  const openMs = durable ? performance.now() - opening : null;
  const [first, ...others] = queries.slice(0, task.warmups);
  const firstAnswerMs = await elapsed(() => contender.hybrid(first!));

  await send({ type: 'step', text: 'warming up' });
  await timed(others, (query) => contender.hybrid(query), { least: MIN_WARMUPS, limitMs: WARMUP_MS });
  const rssBytes = process.memoryUsage.rss();

  await send({ type: 'step', text: 'searching' });
  const asked = queries.slice(task.warmups, task.warmups + task.timed);
  const answers: (readonly Found[])[] = [];
  const cpuBefore = process.cpuUsage();
  const hybrid = await timed(
    asked,
    async (query) => {
      answers.push(await contender.hybrid(query));
    },
    { least: MIN_TIMED, limitMs: HYBRID_MS },
  );
  const cpu = process.cpuUsage(cpuBefore);
  const cpuMs = (cpu.user + cpu.system) / 1000 / hybrid.count;
  const empty = answers.filter((answer) => answer.length === 0).length;
  if (empty > MAX_EMPTY_SHARE * hybrid.count) throw new Error(`${empty} of ${hybrid.count} searches found nothing.`);
  const legQueries = queries.slice(task.warmups + task.timed);
  const legs = { least: MIN_TIMED, limitMs: LEG_MS };
  const keyword = await timed(legQueries, (query) => contender.keyword(query), legs);
  const vector = await timed(legQueries, (query) => contender.vector(query), legs);

  await send({ type: 'step', text: 'comparing with exact neighbors' });
  const found: (readonly string[])[] = [];
  for (const query of asked.slice(0, exact.length)) found.push(await contender.vector(query));
  const recall = recallOf(found, exact.slice(0, found.length));
  const byKeyword: (readonly string[])[] = [];
  for (const query of asked.slice(0, exact.length)) byKeyword.push(await contender.keyword(query));
  const reason = wrongAnswer(readUnits(task.corpusFolder), { hybrid: answers, legs: [...found, ...byKeyword] });
  if (reason !== null) {
    await send({ type: 'wrong', reason });
    return;
  }
  await send({
    type: 'searched',
    figures: { openMs, firstAnswerMs, rssBytes, recall, cpuMs, hybrid, keyword, vector },
  });
}

interface Patience {
  readonly least: number;
  readonly limitMs: number;
}

/** Asks one question after the other, never two at once, until all are asked or patience ends. */
async function timed(
  queries: readonly BenchQuery[],
  ask: (query: BenchQuery) => unknown,
  { least, limitMs }: Patience,
): Promise<Timing> {
  const durations: number[] = [];
  const end = performance.now() + limitMs;
  for (const query of queries) {
    durations.push(await elapsed(() => ask(query)));
    if (durations.length >= least && performance.now() > end) break;
  }
  return timingOf(durations);
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

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send!(message, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}

await main(JSON.parse(process.argv[2] ?? '{}') as ChildTask);
// Native threads of a contender may still be up, and nothing is left to do.
process.exit(0);
