import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { CHECKED, seriousFindings } from './axe.ts';
import { HOSTILE } from './hostile-catalog.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openPages, openWeb, type Web } from './web-server.ts';

describe('for those who run a server', () => {
  let server: AccessServer;
  let pages: Pick<Web, 'open' | 'close'>;
  let admin: string;
  beforeAll(async () => {
    server = await accessServer();
    await server.registry.putMany(WEB_CATALOG);
    pages = await openPages(server.url);
    admin = server.key({ name: 'root', scopes: ['admin'] });
  });
  afterAll(async () => {
    await pages.close();
    await server.close();
  });

  const open = async (path: string, key = admin, options = {}) => {
    const opened = await pages.open('/ui/nothing', options);
    await opened.page.evaluate(`sessionStorage.setItem('dowser-key', '${key}')`);
    await opened.page.goto(server.url + path);
    return opened;
  };

  it('creates a key that is shown once and works, and revokes it, by keyboard alone', async () => {
    const { page, problems } = await open('/ui/access');
    await page.getByText('key:root').waitFor();
    await page.getByLabel('Name of the new key').focus();
    await page.keyboard.type('robot');
    await page.getByLabel('write', { exact: true }).press('Space');
    await page.getByLabel('Groups, with commas between them').focus();
    await page.keyboard.type('payments, search');
    await page.keyboard.press('Enter');
    await page.getByText('Copy the key of robot now.').waitFor();
    const key = (await page.locator('[role=status] pre').textContent())!;
    const me = await server.ask('GET', '/api/auth/me', { key });
    expect(me.json).toMatchObject({ username: 'key:robot', scopes: ['read', 'write'], groups: ['payments', 'search'] });
    await page.reload();
    const row = page.locator('.keys li', { hasText: 'robot' });
    await row.waitFor();
    expect(await page.locator('main').textContent()).not.toContain(key);
    await row.getByRole('button', { name: 'Revoke' }).press('Enter');
    expect((await server.ask('GET', '/api/auth/me', { key })).status).toBe(200);
    await row.getByRole('button', { name: 'Revoke robot now' }).press('Enter');
    await row.getByText('revoked', { exact: true }).waitFor();
    expect((await server.ask('GET', '/api/auth/me', { key })).status).toBe(401);
    expect(problems).toEqual([]);
  });

  it('shows who is asking what they may do, and nothing of others', async () => {
    const { page, problems } = await open('/ui/access', server.key({ name: 'reader', groups: ['search'] }));
    await page.getByText('key:reader').waitFor();
    expect(await page.locator('.rights .yes code').allTextContents()).toEqual(['read']);
    await page.getByText('search', { exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'API keys' }).count()).toBe(0);
    expect(await page.getByRole('navigation', { name: 'Server' }).locator('a').allTextContents()).toEqual([
      'Status',
      'Access',
    ]);
    await page.goto(`${server.url}/ui/audit`);
    await page.getByRole('heading', { name: 'This page is for admins' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('filters the audit log by caller, operation and time, and keeps the filter in the address', async () => {
    const writer = server.key({ name: 'writer', scopes: ['write'] });
    for (const [at, text] of HOSTILE.entries()) {
      const path = `/skills/${at}${text.replaceAll('/', '')}`;
      await server.ask('POST', '/api/entities', { key: writer, body: { type: 'skill', path, name: 'x' } });
    }
    await server.ask('POST', '/api/entities', { key: writer, body: { type: 'skill', path: '/kept', name: 'x' } });
    await server.ask('DELETE', '/api/entities/skill/kept', { key: writer });
    const { page, problems } = await open('/ui/audit');
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    const all = await rows.count();
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    expect(await page.locator('main script, main img').count()).toBe(0);
    await page.getByLabel('Caller').fill('key:writer');
    await page.getByLabel('Caller').press('Enter');
    await expect.poll(() => rows.count()).toBeLessThan(all);
    await page.getByRole('button', { name: 'deleteEntity' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('link', { name: 'skill:/kept' }).waitFor();
    await page.getByLabel('Time').selectOption('1');
    await expect.poll(() => new URL(page.url()).search).toBe('?who=key:writer&action=deleteEntity&hours=1');
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await page.getByLabel('Caller').inputValue()).toBe('key:writer');
    expect(problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has no serious finding, in the %s theme', async (colorScheme) => {
    for (const path of ['/ui/access', '/ui/audit']) {
      const { page } = await open(path, admin, { colorScheme, ...CHECKED });
      await page
        .locator(path === '/ui/audit' ? 'tbody tr' : '.keys li')
        .first()
        .waitFor();
      expect([path, await seriousFindings(page)]).toEqual([path, []]);
    }
  });
});

describe('a server without credentials', () => {
  let web: Web;
  beforeAll(async () => {
    web = await openWeb(undefined, { log_query_text: true });
  });
  afterAll(() => web.close());

  const figure = (page: Page, title: string) => page.locator('.figures div', { hasText: title }).locator('dd');

  it('draws the last hour, and lists the questions that nothing fits', async () => {
    for (const query of ['read a pdf', 'quantum chromodynamics', 'quantum chromodynamics lattice'])
      await web.registry.search({ query });
    const { page, problems } = await web.open('/ui/status');
    await page.getByRole('img', { name: /^Search time in the last hour\. p95: last [\d.]+ ms/ }).waitFor();
    expect(await page.locator('.chart').count()).toBe(5);
    expect(await page.locator('.chart .stroke').count()).toBeGreaterThan(3);
    // The second text continues the first: somebody typed.
    await expect.poll(() => figure(page, 'Questions').textContent()).toBe('2');
    expect(await figure(page, 'Nothing fits').textContent()).toBe('1');
    await page.getByRole('link', { name: 'quantum chromodynamics lattice' }).click();
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('names the class of tools above which it calls none', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dowser-access-'));
    const calling = await openWeb([], { call: 'read', data_dir: dir });
    try {
      const { page } = await calling.open('/ui/access');
      await page.getByText('The setting call of this server is read: it calls only tools that read.').waitFor();
      expect(await page.getByText('Calls are off').count()).toBe(0);
    } finally {
      await calling.close();
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('says so in place of keys and of the audit log', async () => {
    const { page, problems } = await web.open('/ui/access');
    await page.getByText('This server takes no keys.').waitFor();
    await page.getByText('Calls are off on this server, whoever asks.').waitFor();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('This server keeps no audit log.').waitFor();
    expect(problems).toEqual([]);
  });

  it('shows the settings that were set, and finds one by its words', async () => {
    const { page, problems } = await web.open('/ui/settings');
    await page.getByLabel('Only what was set').check();
    const names = page.locator('.settings dt code');
    expect(await names.allTextContents()).toContain('log_query_text');
    expect(await names.allTextContents()).not.toContain('host');
    await page.getByLabel('Only what was set').uncheck();
    await page.getByLabel('Find a setting').fill('anonymous public entities');
    await expect.poll(() => names.allTextContents()).toEqual(['anonymous_read']);
    await page.getByText('With auth, let callers without credentials read public entities.').waitFor();
    expect(problems).toEqual([]);
  });
});
