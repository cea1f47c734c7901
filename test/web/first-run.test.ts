import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECKED, seriousFindings } from './axe.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb([]);
});
afterAll(() => web.close());

it('leads from an empty registry to examples, a server and an agent, and ticks each', async () => {
  const { page, problems } = await web.open('/', CHECKED);
  const ticks = page.locator('.first-run .done');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  expect(await ticks.count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Load the examples' }).click();
  await expect.poll(() => ticks.count()).toBe(1);
  await page.getByText(/\d+ MCP servers/).waitFor();
  // Which questions are answered by now depends on how many vectors there are.
  await page
    .getByRole('link', {
      name: /^(?:read a PDF|create an issue|what is the weather|query a database|send a message|search the web|take notes|write a test)/,
    })
    .first()
    .waitFor();

  await web.registry.put({ type: 'mcp_server', path: '/mine', name: 'Mine', url: 'https://mine.example/mcp' });
  const client = new Client({ name: 'tests', version: '1' });
  await page.reload();
  await expect.poll(() => ticks.count()).toBe(2);
  expect(await seriousFindings(page)).toEqual([]);

  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', web.url)));
  await client.listTools();
  await client.close();
  await page.reload();
  await page.getByText(/\d+ MCP servers/).waitFor();
  // All is done: the list goes.
  await page.getByRole('heading', { name: 'Connect an agent' }).waitFor();
  expect(await page.locator('.first-run').count()).toBe(0);
  expect(problems).toEqual([]);
});

it('shows no first steps of a registry that was filled before', async () => {
  const { page } = await web.open('/');
  await page.getByText(/\d+ MCP servers/).waitFor();
  expect(await page.locator('.first-run').count()).toBe(0);
});
