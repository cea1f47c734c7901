import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WEB_CATALOG } from './web-catalog.ts';
import { openWeb, type Web } from './web-server.ts';

const store = (name: string, language: string, deployment: string) => ({
  type: 'package',
  path: `/${name}`,
  name,
  description: 'A vector database for embeddings.',
  facets: { language: [language], deployment: [deployment] },
});

let web: Web;
beforeAll(async () => {
  web = await openWeb([
    ...WEB_CATALOG,
    ...['a', 'b', 'c'].map((name) => store(`${name}-rust`, 'Rust', 'server')),
    ...['d', 'e', 'f'].map((name) => store(`${name}-python`, 'Python', 'embedded')),
  ]);
});
afterAll(() => web.close());

it('recommends, asks back with buttons, and narrows by the answer', async () => {
  const { page, problems } = await web.open('/ui/recommend');
  await page.getByLabel('What do you need?').fill('vector database');
  await page.getByRole('button', { name: 'Recommend' }).click();
  const first = page.getByRole('region', { name: 'Answer 1' });
  await first.locator('article').first().waitFor();
  const answer = first.locator('fieldset button', { hasText: /Python/i });
  await answer.click();
  const second = page.getByRole('region', { name: 'Answer 2' });
  await second.locator('article h2').first().waitFor();
  for (const name of await second.locator('article h2').allTextContents()) expect(name).toContain('python');
  expect(await answer.isDisabled()).toBe(true);
  expect(problems).toEqual([]);
});

it('goes on without an answer, by keyboard', async () => {
  const { page, problems } = await web.open('/ui/recommend');
  await page.getByLabel('What do you need?').focus();
  await page.keyboard.type('vector database');
  await page.keyboard.press('Enter');
  const first = page.getByRole('region', { name: 'Answer 1' });
  const asked = await first.locator('legend').textContent();
  await first.getByRole('button', { name: 'No preference' }).press('Enter');
  const second = page.getByRole('region', { name: 'Answer 2' });
  await second.locator('article h2').first().waitFor();
  expect(await second.locator('legend').allTextContents()).not.toContain(asked);
  expect(problems).toEqual([]);
});

it('shows two options of the example catalog, one stable and one new, from an example', async () => {
  const catalog = await readFile(new URL('../../examples/catalog/packages.jsonl', import.meta.url), 'utf8');
  const examples = await openWeb(
    catalog
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const { page, problems } = await examples.open('/ui/recommend');
  await page.getByRole('button', { name: 'feature flags' }).click();
  await page.getByText('Two fit about equally well').waitFor();
  const names = await page.locator('article h2').allTextContents();
  expect(names.sort()).toEqual(['Example: Flags', 'Example: Toggles']);
  expect((await page.locator('article .badge').allTextContents()).sort()).toEqual([
    'new and growing',
    'package',
    'package',
    'stable',
  ]);
  await page.getByText('Related to Example: Toggles', { exact: false }).waitFor();
  expect(problems).toEqual([]);
  await examples.close();
});

it('says that nothing answers the need', async () => {
  const { page } = await web.open('/ui/recommend');
  await page.getByLabel('What do you need?').fill('quantum chromodynamics lattice');
  await page.getByRole('button', { name: 'Recommend' }).click();
  await page.getByText('Nothing in this registry answers that need.').waitFor();
});
