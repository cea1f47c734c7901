import { randomUUID } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Evaluation,
  evaluationSchema,
  type KeptRun,
  keptRunsSchema,
} from '../api/operations/evaluation-operations.ts';

const FIGURES = 'eval.json';
const RUNS = 'eval-runs.json';
const NOTHING: Evaluation = { measured_at: null, sets: [] };

const MAX_RUNS = 20;
const MAX_BYTES = 8_000_000;
const MAX_QUERY_CHARS = 300;

/** What `dowser eval` measured last. A file that is missing or damaged has nothing: the next run writes it again. */
export async function readEvaluation(dataDir: string): Promise<Evaluation> {
  const parsed = evaluationSchema.safeParse(await readJson(join(dataDir, FIGURES)));
  return parsed.success ? parsed.data : NOTHING;
}

/** The last runs with their questions, oldest first. */
export async function readEvaluationRuns(dataDir: string): Promise<readonly KeptRun[]> {
  const parsed = keptRunsSchema.safeParse(await readJson(join(dataDir, RUNS)));
  return parsed.success ? parsed.data.runs : [];
}

/** Keeps a run: its figures for all who may read, and its questions beside those of the runs before it. */
export async function keepEvaluation(dataDir: string, run: KeptRun): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await replace(join(dataDir, FIGURES), async () => JSON.stringify(evaluationSchema.parse(run)));
  const kept = shortened(run);
  await replace(join(dataDir, RUNS), async () => {
    const before = (await readEvaluationRuns(dataDir)).filter(({ measured_at }) => measured_at !== run.measured_at);
    return fitted([...before, kept]);
  });
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * As a whole: a server that reads it meanwhile sees the old file or the new one. `textOf` reads it, and is asked again if another
 * process has written it meanwhile.
 */
async function replace(file: string, textOf: () => Promise<string>): Promise<void> {
  const incoming = `${file}.${randomUUID()}`;
  for (;;) {
    const seen = versionOf(file);
    await writeFile(incoming, await textOf(), { mode: 0o600 });
    // Synchronous, so that no other call comes between the look and the rename.
    if (versionOf(file) === seen) return renameSync(incoming, file);
  }
}

function versionOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}

const shortened = (run: KeptRun): KeptRun => ({
  ...run,
  sets: run.sets.map((set) => ({
    ...set,
    questions: set.questions.map(({ id, query }) => ({ id, query: query.slice(0, MAX_QUERY_CHARS) })),
    results: set.results.map((result) => ({
      ...result,
      scores: result.scores.map((score) => Number(score.toFixed(4))),
    })),
  })),
});

const withoutQuestions = (run: KeptRun): KeptRun => ({
  ...run,
  sets: run.sets.map((set) => ({
    ...set,
    questions: [],
    results: set.results.map((result) => ({ ...result, scores: [] })),
  })),
});

/** The text of the newest runs that fit. A run that is too large alone keeps its figures. */
function fitted(runs: readonly KeptRun[]): string {
  let kept = runs.slice(-MAX_RUNS);
  for (;;) {
    const text = JSON.stringify(keptRunsSchema.parse({ runs: kept }));
    if (text.length <= MAX_BYTES) return text;
    kept = kept.length > 1 ? kept.slice(1) : kept.map(withoutQuestions);
  }
}
