import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepEvaluation, readEvaluation, readEvaluationRuns } from './evaluation-file.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-eval-file-'));
});
afterEach(() => rm(dir, { recursive: true }));

const FIGURES = { 'ndcg@10': 0.7, mrr: 0.6, 'recall@5': 0.8, 'recall@10': 0.9, 'hit@1': 0.5, zero_hit: 0.1 };
const RESULT = { preset: 'hybrid', queries: 20, ...FIGURES, interval: [0.6, 0.8] as [number, number] };

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();

const run = (day: number, ...queries: readonly string[]) => ({
  measured_at: at(day),
  sets: [
    {
      set: 'dev',
      documents: 9,
      questions: queries.map((query, i) => ({ id: String(i), query })),
      results: [{ ...RESULT, scores: queries.map(() => 1 / 3) }],
    },
  ],
});

it('gives the figures that were written last, without the answers to single queries', async () => {
  await keepEvaluation(join(dir, 'new'), run(1, 'a secret question'));
  expect(await readEvaluation(join(dir, 'new'))).toEqual({
    measured_at: at(1),
    sets: [{ set: 'dev', documents: 9, results: [RESULT] }],
  });
});

it('keeps the questions of the last runs, oldest first, for the owner of the folder only', async () => {
  for (let day = 1; day <= 22; day++) await keepEvaluation(dir, run(day, 'x'.repeat(400)));
  await keepEvaluation(dir, run(22, 'the same run again'));
  const runs = await readEvaluationRuns(dir);
  expect(runs.map(({ measured_at }) => measured_at)).toEqual(Array.from({ length: 20 }, (_, i) => at(i + 3)));
  expect(runs[0]!.sets[0]!.questions[0]!.query).toHaveLength(300);
  expect(runs.at(-1)!.sets[0]).toMatchObject({
    questions: [{ id: '0', query: 'the same run again' }],
    results: [{ scores: [0.3333] }],
  });
  expect((await stat(join(dir, 'eval-runs.json'))).mode & 0o777).toBe(0o600);
});

it('keeps all runs that end at the same time', async () => {
  const days = Array.from({ length: 8 }, (_, i) => i + 1);
  await Promise.all(days.map((day) => keepEvaluation(dir, run(day, 'question'))));
  const kept = (await readEvaluationRuns(dir)).map(({ measured_at }) => measured_at);
  expect(kept.toSorted()).toEqual(days.map(at));
  expect((await readdir(dir)).toSorted()).toEqual(['eval-runs.json', 'eval.json']);
});

it('drops the oldest runs where the file would be too large, and the questions of a run that is too large alone', async () => {
  const many = Array.from({ length: 15_000 }, (_, i) => `${i} ${'word '.repeat(50)}`);
  await keepEvaluation(dir, run(1, ...many));
  await keepEvaluation(dir, run(2, ...many));
  expect((await readEvaluationRuns(dir)).map(({ measured_at }) => measured_at)).toEqual([at(2)]);
  await keepEvaluation(dir, run(3, ...many, ...many));
  const [kept] = await readEvaluationRuns(dir);
  expect(kept).toMatchObject({
    measured_at: at(3),
    sets: [{ questions: [], results: [{ 'ndcg@10': 0.7, scores: [] }] }],
  });
});

it.each([
  ['is missing', null],
  ['is no JSON', '{"measured_at"'],
  ['has another shape', '{"measured_at": "x", "sets": [{"set": 1}], "runs": [{}]}'],
])('has nothing where the file %s', async (_, text) => {
  if (text !== null) {
    await writeFile(join(dir, 'eval.json'), text);
    await writeFile(join(dir, 'eval-runs.json'), text);
  }
  expect(await readEvaluation(dir)).toEqual({ measured_at: null, sets: [] });
  expect(await readEvaluationRuns(dir)).toEqual([]);
});
