import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepEvaluation } from '../../src/http/evaluation-file.ts';
import { PRESET_NAMES } from '../../src/model/entity-parts/names.ts';
import { PRESETS } from '../../src/search/plan/presets.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-compare-'));
  web = await openWeb(undefined, { data_dir: folder });
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});

it('offers every preset of the server, and no other', () => {
  expect([...PRESET_NAMES].sort()).toEqual(Object.keys(PRESETS).sort());
});

it('shows what was measured of both presets, and nothing where nothing was', async () => {
  const { page, problems } = await web.open('/ui/compare?q=pdf');
  await page.locator('.ranking li').first().waitFor();
  expect(await page.getByRole('heading', { name: 'Measured' }).count()).toBe(0);
  const figures = { mrr: 0.6, 'recall@5': 0.8, 'recall@10': 0.9, 'hit@1': 0.5, zero_hit: 0.1 };
  const result = (preset: string, ndcg: number) => ({
    preset,
    queries: 20,
    'ndcg@10': ndcg,
    ...figures,
    interval: [0.6, 0.8],
    scores: [],
  });
  const results = [result('hybrid', 0.712), result('keyword', 0.634), result('rrf', 0.5)];
  const sets = [{ set: '<b>dev</b>', documents: 900, questions: [], results }];
  await keepEvaluation(folder, { measured_at: '2026-11-17T10:00:00.000Z', sets });
  await page.reload();
  await page.getByRole('heading', { name: 'Measured' }).waitFor();
  const rows = await page.locator('tbody tr').allTextContents();
  expect(rows.map((row) => /(hybrid|keyword|rrf)(0\.\d{3})/.exec(row)?.slice(1))).toEqual([
    ['hybrid', '0.712'],
    ['keyword', '0.634'],
  ]);
  expect(await page.locator('tbody').textContent()).toContain('<b>dev</b>');
  expect(problems).toEqual([]);
});

it('ranks one query twice, and shows the moves', async () => {
  const { page, problems } = await web.open('/ui/compare?q=pdf+files');
  await page.getByLabel('Preset on the right').selectOption('vector');
  const right = page.getByRole('region', { name: 'Ranking on the right' });
  await right.locator('.move').first().waitFor();
  const { results } = await web.registry.search({ query: 'pdf files', preset: 'vector' });
  expect(await right.locator('.ranking a').allTextContents()).toEqual(results.map(({ name }) => name));
  expect(new URL(page.url()).searchParams.get('right')).toBe('vector');
  expect(problems).toEqual([]);
});
