import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GoldenRegistry, goldenRegistry } from '../../support/golden-registry.ts';
import { type Question, readQuestions } from './read-questions.ts';

/** What the ranking reaches today, less one question in a hundred. Raise these when it gets better. */
const MIN_FIRST = 0.76;
const MIN_AMONG_THREE = 0.89;
const MAX_WRONG_FIRST = 38;

const folder = new URL('../../../examples/catalog/', import.meta.url);
const catalog = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as object);

let golden: GoldenRegistry;
let answers: readonly { readonly question: Question; readonly paths: readonly string[] }[];
beforeAll(async () => {
  golden = await goldenRegistry(catalog);
  const answerable = readQuestions().filter(({ tools }) => tools.length > 0);
  const found: { question: Question; paths: readonly string[] }[] = [];
  for (const question of answerable) {
    const { results } = await golden.registry.search({ query: question.query, entity_types: ['tool'], max_results: 3 });
    found.push({ question, paths: results.map(({ path }) => path) });
  }
  answers = found;
}, 240_000);
afterAll(() => golden?.close());

const shareOf = (isRight: (answer: (typeof answers)[number]) => boolean) =>
  answers.filter(isRight).length / answers.length;

it('shows the right tool first, or among the first three', () => {
  expect(shareOf(({ question, paths }) => question.tools.includes(paths[0] ?? ''))).toBeGreaterThanOrEqual(MIN_FIRST);
  expect(shareOf(({ question, paths }) => paths.some((path) => question.tools.includes(path)))).toBeGreaterThanOrEqual(
    MIN_AMONG_THREE,
  );
});

it('shows few tools first that must not be', () => {
  const wrong = answers.filter(({ question, paths }) => question.not.includes(paths[0] ?? ''));
  expect(wrong.length).toBeLessThanOrEqual(MAX_WRONG_FIRST);
});

it.each([
  'create a GitHub issue',
  'open a new github issue',
  'search arxiv papers',
  'find similar code in the repo',
  'deploy the site to Vercel',
  'book a meeting for tomorrow',
  'restart a deployment',
])('shows the right tool first: %s', (query) => {
  const answer = answers.find(({ question }) => question.query === query)!;
  expect(answer.question.tools).toContain(answer.paths[0]);
});
