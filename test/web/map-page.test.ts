import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

it('shows the catalog, the results of a query, and what is near one of them, by mouse', async () => {
  const { page, problems } = await web.open('/');
  await page.getByRole('link', { name: 'See all of it on a map' }).click();
  const { points } = await web.registry.map();
  const list = page.locator('.map-list li');
  await page.getByText(`${points.length} entities in view`).waitFor();
  expect((await list.locator('a').allTextContents()).sort()).toEqual(points.map(({ name }) => name).sort());

  await page.getByRole('searchbox').fill('pdf files');
  await page.getByRole('heading', { name: 'Results' }).waitFor();
  await page.locator('.map .query').waitFor();
  const { results } = await web.registry.search({ query: 'pdf files', max_results: 20 });
  const placed = new Set(points.map(({ path }) => path));
  expect(await list.locator('a').allTextContents()).toEqual(
    results.filter(({ path }) => placed.has(path)).map(({ name }) => name),
  );
  const name = results[0]!.name;
  await page.getByRole('button', { name: `Show ${name} on the map` }).click();
  await page.getByRole('heading', { name: 'Nearby' }).waitFor();
  expect(await list.locator('a').first().textContent()).toBe(name);

  // A click on a point, then beside all of them.
  await page.getByRole('button', { name: 'Show all' }).click();
  const map = page.getByRole('group', { name: 'Map.' });
  const box = (await map.boundingBox())!;
  const clickAt = (x: number, y: number) =>
    page.mouse.click(box.x + (0.5 + (x - 0.5) / 1.06) * box.width, box.y + (0.5 + (y - 0.5) / 1.06) * box.height);
  const other = points.find((point) => point.name !== name)!;
  await clickAt(other.x, other.y);
  await page.locator('.map-list li[aria-current=true]', { hasText: other.name }).waitFor();
  await page.getByRole('button', { name: 'Back to the results' }).click();
  await page.getByRole('heading', { name: 'Results' }).waitFor();
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
  expect(problems).toEqual([]);
});

it('is moved and enlarged by keyboard, and the list follows', async () => {
  const { page, problems } = await web.open('/ui/map');
  const map = page.getByRole('group', { name: 'Map.' });
  await map.focus();
  const viewBox = () => map.locator('svg').getAttribute('viewBox');
  const whole = await viewBox();
  for (let i = 0; i < 6; i++) await page.keyboard.press('+');
  const { points } = await web.registry.map();
  await expect.poll(() => page.locator('.map-list li').count()).toBeLessThan(points.length);
  const near = await viewBox();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(viewBox).not.toBe(near);
  await page.keyboard.press('0');
  await expect.poll(viewBox).toBe(whole);
  await expect.poll(() => page.locator('.map-list li').count()).toBe(points.length);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Enlarge the map');
  expect(problems).toEqual([]);
});

it('shows an earlier map, and then the new one', async () => {
  const { page, problems } = await web.open('/');
  let isCurrent = false;
  await page.route('**/api/map', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), is_current: isCurrent } });
  });
  await page.clock.install();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Map' }).click();
  const note = page.getByText('a new map is being made');
  await note.waitFor();
  await page.locator('.map-list li').first().waitFor();
  isCurrent = true;
  await page.clock.fastForward(10_000);
  await note.waitFor({ state: 'detached' });
  await page.locator('.map-list li').first().waitFor();
  expect(problems).toEqual([]);
});

it('says why there is no map', async () => {
  const empty = await openWeb([]);
  const { page } = await empty.open('/ui/map');
  await page.getByText('The registry is empty.').waitFor();
  await empty.close();
});
