import { afterAll, beforeAll, expect, it } from 'vitest';
import { PRESETS } from '../../src/search/presets.ts';
import { PRESET_NAMES } from '../../src/web/search/preset-names.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

it('offers every preset of the server, and no other', () => {
  expect([...PRESET_NAMES].sort()).toEqual(Object.keys(PRESETS).sort());
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
