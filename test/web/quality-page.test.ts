import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepEvaluation } from '../../src/http/evaluation-file.ts';
import { evaluationRun } from './evaluation-run.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-quality-'));
  web = await openWeb(undefined, { data_dir: folder });
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true });
});

it('says how to begin, then shows runs, what got worse between two, and leads to Compare', async () => {
  const { page, problems } = await web.open('/ui/status');
  await page.getByRole('link', { name: 'Quality' }).click();
  await page.getByRole('heading', { name: 'Nothing was measured yet' }).waitFor();

  await keepEvaluation(folder, evaluationRun(1, { 'read a pdf': 1, 'mail a file': 0.5 }));
  await page.reload();
  await page.getByText('Run it again after a change').waitFor();

  await keepEvaluation(folder, evaluationRun(2, { 'read a pdf': 0.4, 'mail a file': 0.9 }));
  await keepEvaluation(folder, evaluationRun(3, { 'read a pdf': 0.4, 'mail a file': 0.2 }));
  await page.reload();
  await page.getByRole('img', { name: /^keyword\..*0\.300\.$/ }).waitFor();
  const losses = page.getByRole('list', { name: 'Questions that got worse' });
  expect(await losses.getByRole('listitem').allTextContents()).toEqual(['0.90 → 0.20mail a fileCompare']);
  await page.getByText('0 better, 1 worse').waitFor();

  // By keyboard: from the first run, then to Compare.
  await page.getByLabel('From the run').focus();
  await page.keyboard.press('Home');
  await losses.getByText('read a pdf').waitFor();
  expect(await losses.getByRole('listitem').count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('before')).toBe('2026-01-01T00:00:00.000Z');
  await losses.getByRole('link', { name: 'Compare the rankings of: read a pdf' }).press('Enter');
  await page.getByRole('heading', { name: 'Compare rankings' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('q'), searchParams.get('left')]).toEqual(['read a pdf', 'hybrid']);
  await page.locator('.ranking li').first().waitFor();
  expect(problems).toEqual([]);
});

it('shows another figure of another set', async () => {
  await keepEvaluation(folder, evaluationRun(4, { one: 0.5 }, 'other'));
  const { page, problems } = await web.open('/ui/quality');
  await page.getByLabel('Set').selectOption('dev');
  await page.getByText('3 runs').waitFor();
  await page.getByLabel('Figure').selectOption('hit@1');
  await page.locator('.chart').first().getByText('0.250').waitFor();
  expect(problems).toEqual([]);
});
