import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, accessServer, NOW } from '../support/access-server.ts';
import { CHECKED, seriousFindings } from './axe.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openPages, type Web } from './web-server.ts';

interface Opened {
  readonly server: AccessServer;
  readonly pages: Pick<Web, 'open' | 'close'>;
}

async function openWith(settings: Record<string, unknown>): Promise<Opened> {
  const server = await accessServer(settings);
  await server.registry.putMany(WEB_CATALOG);
  await server.registry.put({ type: 'skill', path: '/skills/secret', name: 'Secret skill', visibility: 'private' });
  return { server, pages: await openPages(server.url) };
}

const signIn = async (page: Page, key: string) => {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
};
const storage = (page: Page) =>
  page.evaluate<{ session: string[]; local: string[]; cookie: string }>(
    '({ session: Object.values(sessionStorage), local: Object.values(localStorage), cookie: document.cookie })',
  );

describe('a server that needs a key', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openWith({});
  });
  afterAll(async () => {
    await opened.pages.close();
    await opened.server.close();
  });

  it('asks for one, and nothing is refused or shown before', async () => {
    const { page, problems } = await opened.pages.open('/?q=pdf');
    await page.getByRole('dialog').getByLabel('API key').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Sign in to see this registry' }).waitFor();
    expect(await page.locator('.result').count()).toBe(0);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('dialog').getByLabel('API key').waitFor();
    expect(problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'asks in a dialog that everybody can use, in the %s theme',
    async (colorScheme) => {
      const { page } = await opened.pages.open('/', { colorScheme, ...CHECKED });
      await signIn(page, 'dwsr_wrong');
      await page.getByRole('alert').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    },
  );

  it('says that a key is wrong, and takes a right one until the tab is closed', async () => {
    const key = opened.server.key({ name: 'reader' });
    const { page } = await opened.pages.open('/?q=pdf');
    await signIn(page, 'dwsr_wrong');
    await page.getByRole('alert').getByText('UNAUTHENTICATED').waitFor();
    await signIn(page, 'schlüssel mit leerzeichen');
    await page.getByRole('alert').getByText('This is not a key').waitFor();
    await signIn(page, key);
    await page.locator('.result').first().waitFor();
    await page.locator('.account', { hasText: 'reader' }).waitFor();
    expect(await storage(page)).toEqual({ session: [key], local: [], cookie: '' });
    expect(page.url()).not.toContain(key);
    await page.reload();
    await page.locator('.result').first().waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('dialog').getByLabel('API key').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to see this registry' }).waitFor();
    expect(await storage(page)).toEqual({ session: [], local: [], cookie: '' });
  });

  it('offers what the key may do, and no more', async () => {
    const reader = opened.server.key({ name: 'only-reads' });
    const writer = opened.server.key({ name: 'writes', scopes: ['write'] });
    const admin = opened.server.key({ name: 'boss', scopes: ['admin'] });
    const offered = async (key: string) => {
      const { page, problems } = await opened.pages.open('/ui/memories');
      await signIn(page, key);
      await page.getByRole('heading', { name: 'Memories' }).waitFor();
      const memories = await page.getByRole('button', { name: 'Add' }).count();
      const add = await page.getByRole('link', { name: 'Add', exact: true }).count();
      await page.getByRole('link', { name: 'Documents' }).click();
      await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
      const documents = await page.getByRole('button', { name: 'Create' }).count();
      await page.getByRole('link', { name: 'Status' }).click();
      await page.getByRole('heading', { name: 'Status' }).waitFor();
      const reindex = await page.getByRole('button', { name: 'Re-embed everything' }).count();
      expect(problems).toEqual([]);
      return { memories, add, documents, reindex };
    };
    expect(await offered(reader)).toEqual({ memories: 0, add: 0, documents: 0, reindex: 0 });
    expect(await offered(writer)).toEqual({ memories: 1, add: 1, documents: 1, reindex: 0 });
    expect(await offered(admin)).toEqual({ memories: 1, add: 1, documents: 1, reindex: 1 });
    const { page } = await opened.pages.open('/ui/add');
    await signIn(page, reader);
    await page.getByRole('heading', { name: 'This page needs the right to write' }).waitFor();
  });

  it('asks again when the key is revoked', async () => {
    const key = opened.server.key({ name: 'short-lived' });
    const { page } = await opened.pages.open('/?q=pdf');
    await signIn(page, key);
    await page.locator('.result').first().waitFor();
    opened.server.keys.revoke('short-lived', NOW);
    await page.getByRole('searchbox').fill('weather');
    await page.getByText('The key of this tab is no longer accepted.').waitFor();
    expect(await storage(page)).toMatchObject({ session: [] });
  });
});

describe('a server that lets everyone read', () => {
  it('shows public entities, and more after signing in', async () => {
    const { server, pages } = await openWith({ anonymous_read: true });
    try {
      const { page, problems } = await pages.open('/?q=secret+skill');
      await page.getByText('Nothing fits').or(page.locator('.result')).first().waitFor();
      expect(await page.getByText('Secret skill').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Add', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await signIn(page, server.key({ name: 'boss', scopes: ['admin'] }));
      await page.getByRole('link', { name: 'Secret skill' }).waitFor();
      expect(problems).toEqual([]);
    } finally {
      await pages.close();
      await server.close();
    }
  });
});
