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

it('says that nothing answers the need', async () => {
  const { page } = await web.open('/ui/recommend');
  await page.getByLabel('What do you need?').fill('quantum chromodynamics lattice');
  await page.getByRole('button', { name: 'Recommend' }).click();
  await page.getByText('Nothing in this registry answers that need.').waitFor();
});
