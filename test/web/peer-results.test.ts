import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openWeb, type Web } from './web-server.ts';

let peer: ServedRegistry;
let web: Web;
beforeAll(async () => {
  peer = await serveRegistry();
  const description = 'Reads a zebra, and a PDF file of a zebra';
  await peer.registry.put({ type: 'mcp_server', path: '/zebra', name: 'Zebra Reader', description });
  web = await openWeb(WEB_CATALOG, {
    peers: [{ name: 'savanna', url: peer.url, kind: 'dowser' }],
    peer_search: 'always',
    peer_timeout_ms: 10_000,
  });
});
afterAll(async () => {
  await web.close();
  await peer.close();
});

it.each(['zebra', 'read a pdf file zebra'])('the search page says where a result for %j comes from', async (query) => {
  const { page, problems } = await web.open(`/?q=${encodeURIComponent(query)}`);
  const card = page.locator('.result', { hasText: 'Zebra Reader' });
  await card.locator('.origin', { hasText: 'Found at savanna' }).waitFor();
  expect(await card.locator('.origin a').getAttribute('href')).toBe(peer.url);
  // There is nothing to open here, and no score to explain.
  expect(await card.locator('h3 a').count()).toBe(0);
  expect(await card.getByRole('button', { name: 'Why?' }).count()).toBe(0);
  expect(problems).toEqual([]);
});
