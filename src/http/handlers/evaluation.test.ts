import { expect, it } from 'vitest';
import { evaluationHandlers } from './evaluation.ts';

const FIGURES = { 'ndcg@10': 0.5, mrr: 0.6, 'recall@5': 0.8, 'recall@10': 0.9, 'hit@1': 0.5, zero_hit: 0.1 };
const run = (measured_at: string, ...scores: readonly number[]) => ({
  measured_at,
  sets: [
    {
      set: 'dev',
      documents: 9,
      questions: scores.map((_, i) => ({ id: String(i), query: `question ${i}` })),
      results: [{ preset: 'hybrid', queries: scores.length, ...FIGURES, interval: [0.4, 0.6], scores: [...scores] }],
    },
  ],
});

const handlers = evaluationHandlers({
  last: async () => ({ measured_at: null, sets: [] }),
  runs: async () => [run('monday', 1, 0.5, 0.9), run('tuesday', 0.2, 0.8, 0.4)],
});
const compare = (query: object) =>
  handlers.compareEvaluations({
    query: { set: 'dev', preset: 'hybrid', before: 'monday', after: 'tuesday', limit: 100, ...query },
  } as never);

it('lists runs without their questions', async () => {
  const { body } = await handlers.listEvaluations({} as never);
  expect(JSON.stringify(body)).not.toContain('question');
  expect(body).toMatchObject({ runs: [{ measured_at: 'monday' }, { sets: [{ results: [{ 'ndcg@10': 0.5 }] }] }] });
});

it('compares two runs, with as many losses as asked for', async () => {
  const { body } = await compare({ limit: 1 });
  expect(body).toMatchObject({ queries: 3, better: 1, worse: 2, losses: [{ query: 'question 0' }] });
  expect((body as { losses: readonly unknown[] }).losses).toHaveLength(1);
});

it.each([
  [{ before: 'sunday' }, 'before', 'There is no run of "sunday".'],
  [{ set: 'test' }, 'set', 'The run of monday has no set "test".'],
  [{ preset: 'rrf' }, 'preset', 'The run of monday did not measure the preset "rrf".'],
])('says what %o names that is not there', async (query, field, message) => {
  await expect(compare(query)).rejects.toMatchObject({ code: 'NOT_FOUND', field, message });
});
