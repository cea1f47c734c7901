import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEvaluation, writeEvaluation } from './evaluation-file.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-eval-file-'));
});
afterEach(() => rm(dir, { recursive: true }));

const FIGURES = { 'ndcg@10': 0.7, mrr: 0.6, 'recall@5': 0.8, 'recall@10': 0.9, 'hit@1': 0.5, zero_hit: 0.1 };
const RESULT = { preset: 'hybrid', queries: 20, ...FIGURES, interval: [0.6, 0.8] as [number, number] };

it('gives what was written last, without the answers to single queries', async () => {
  const evaluation = {
    measured_at: '2026-11-17T10:00:00.000Z',
    sets: [{ set: 'dev', documents: 9, results: [RESULT] }],
  };
  const outcomes = [{ query: 'a secret question' }];
  const more = { ...evaluation, sets: [{ ...evaluation.sets[0]!, results: [{ ...RESULT, outcomes }] }] };
  await writeEvaluation(join(dir, 'new'), more);
  expect(await readEvaluation(join(dir, 'new'))).toEqual(evaluation);
});

it.each([
  ['is missing', null],
  ['is no JSON', '{"measured_at"'],
  ['has another shape', '{"measured_at": "x", "sets": [{"set": 1}]}'],
])('has nothing where the file %s', async (_, text) => {
  if (text !== null) await writeFile(join(dir, 'eval.json'), text);
  expect(await readEvaluation(dir)).toEqual({ measured_at: null, sets: [] });
});
