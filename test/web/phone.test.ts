import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWeb, type Web } from './web-server.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const MIN_PX = 44;

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

/** Controls that a thumb may miss: lower than 44 px. A box within a label is hit by its label. */
const lowControls = (page: Page) =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('button, select, summary, input, nav a, .ways a, .tiles a, label.check')]
      .filter((one) => one.checkVisibility() && !one.closest('label.check input, .hidden'))
      .filter((one) => !(one.matches('input') && one.closest('label.check')))
      .filter((one) => one.getBoundingClientRect().height < ${MIN_PX})
      .map((one) => one.outerHTML.slice(0, 120))
  `);

it.each([
  ['/', '.tiles'],
  ['/?q=pdf', '.result .tool'],
  ['/ui/entity?id=mcp_server:/pdf-reader', '.install'],
  ['/ui/recommend', 'form'],
  ['/ui/compare?q=pdf', '.move'],
  ['/ui/map?q=pdf', '.map-list li'],
  ['/ui/memories', 'form'],
  ['/ui/documents', 'form'],
  ['/ui/add', 'form'],
  ['/ui/compose', '.ticks li'],
  ['/ui/status', '.chart'],
  ['/ui/access', '.rights'],
  ['/ui/quality', '.empty'],
  ['/ui/settings', '.settings'],
])('has controls of 44 px at %s, and nothing beside the screen', async (path, ready) => {
  const { page } = await web.open(path, PHONE);
  await page.locator(ready).first().waitFor();
  expect(await lowControls(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
});

it('shows where more pages are', async () => {
  const { page } = await web.open('/', PHONE);
  const nav = page.getByRole('navigation', { name: 'Pages' });
  await expect.poll(() => nav.getAttribute('data-more')).toBe('right');
  await page.getByRole('link', { name: 'Compare' }).click();
  await expect.poll(() => nav.getAttribute('data-more')).toBe('left right');
  await page.getByRole('link', { name: 'Status' }).click();
  await expect.poll(() => nav.getAttribute('data-more')).toBe('left');
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(() => nav.getAttribute('data-more')).toBe('');
});

it('compares with whole names', async () => {
  const { page } = await web.open('/ui/compare?q=pdf', PHONE);
  await page.locator('.move').first().waitFor();
  for (const item of await page.locator('.ranking li').all()) {
    const name = (await item.locator('a').boundingBox())!;
    const badge = (await item.locator('.badge').boundingBox())!;
    expect(badge.y).toBeGreaterThanOrEqual(name.y + name.height - 1);
  }
});
