import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

it('follows the life of a memory: added, corrected, restored, forgotten, brought back', async () => {
  const { page, problems } = await web.open('/ui/memories');
  await page.getByLabel('What is true').fill('The staging server is on port 8080');
  await page.getByLabel('Tags, with commas').fill('ops');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const memory = (text: string) => page.locator('.memory', { hasText: text });
  await memory('port 8080').waitFor();
  await memory('port 8080').getByText('ops').waitFor();

  await memory('port 8080').getByRole('button', { name: 'Correct' }).click();
  await page.getByLabel('What is true now').fill('The staging server is on port 9090');
  await page.getByRole('button', { name: 'Supersede' }).click();
  await memory('port 9090').waitFor();
  await memory('port 8080').waitFor({ state: 'detached' });

  await page.getByLabel('With history').check();
  await memory('port 8080').getByText('superseded').waitFor();
  await page.getByRole('searchbox').fill('staging port');
  await memory('port 8080').waitFor();
  expect(await page.locator('.memory p').first().textContent()).toContain('9090');
  await memory('port 8080').getByRole('button', { name: 'Make it current again' }).click();
  await page.getByLabel('With history').uncheck();
  await memory('port 8080').waitFor();

  await memory('port 8080').getByRole('button', { name: 'Forget' }).click();
  await page.getByText('Forgotten.').waitFor();
  const found = async () =>
    (await web.registry.search({ query: 'staging port 8080', entity_types: ['memory'] })).results;
  expect((await found()).map(({ description }) => description).join()).not.toContain('8080');
  await page.getByRole('button', { name: 'Undo' }).click();
  await memory('port 8080').waitFor();
  expect(
    (await web.registry.page({ types: ['memory'] })).entities.filter(({ entity }) => entity.is_enabled).length,
  ).toBe(2);

  await page.getByRole('button', { name: 'Audit the memories' }).click();
  await page.getByText('Contradictions').waitFor();
  expect(problems).toEqual([]);
});

it('does what the audit proposes, and takes it back', async () => {
  const store = (content: string, day: string) =>
    web.registry.put({ type: 'memory', path: `/audit-${day}`, content, created_at: `2026-03-${day}T00:00:00Z` });
  await store('The lighthouse keeper wakes at 4.', '01');
  await store('The lighthouse keeper wakes at 7.', '02');
  await web.registry.embedPending();
  const { page, problems } = await web.open('/ui/memories');
  await page.getByRole('button', { name: 'Audit the memories' }).click();
  const proposal = page.locator('.proposal', { hasText: 'wakes at' });
  await proposal.getByText('Newer: The lighthouse keeper wakes at 7.').waitFor();
  const isCurrent = async (text: string) => {
    const { memories } = await web.registry.search({ query: text, entity_types: ['memory'] });
    return memories.some(({ match_context }) => match_context === text);
  };
  await proposal.getByRole('button', { name: 'Supersede' }).press('Enter');
  await proposal.getByRole('button', { name: 'Undo' }).waitFor();
  await expect.poll(() => page.locator('.memory', { hasText: 'wakes at 4' }).count()).toBe(0);
  await proposal.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.memory', { hasText: 'wakes at 4' }).waitFor();
  expect(await isCurrent('The lighthouse keeper wakes at 4.')).toBe(true);
  expect(problems).toEqual([]);
});

it('forgets a secret that the audit found, and brings it back', async () => {
  const content = `The deploy token is ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  await web.registry.put({ type: 'memory', path: '/audit-secret', content });
  const { page, problems } = await web.open('/ui/memories');
  await page.getByRole('button', { name: 'Audit the memories' }).press('Enter');
  const proposal = page.locator('.proposal', { hasText: 'deploy token' });
  await proposal.getByRole('button', { name: 'Forget' }).click();
  await page.locator('.memory', { hasText: 'deploy token' }).waitFor({ state: 'detached' });
  await proposal.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.locator('.memory', { hasText: 'deploy token' }).waitFor();
  expect(problems).toEqual([]);
});
