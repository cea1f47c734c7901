import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.ts';
import { openServerAccess } from '../../src/http/edge/server-access.ts';
import { type AccessServer, AUDIENCE, accessServer } from '../support/access-server.ts';
import { type Issuer, PAGE_CLIENT, startIssuer } from '../support/issuer.ts';
import { CHECKED, seriousFindings } from './axe.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openPages, type Web } from './web-server.ts';

let issuer: Issuer;
let server: AccessServer;
let pages: Pick<Web, 'open' | 'close'>;
beforeAll(async () => {
  issuer = await startIssuer({ ada: ['payments'] });
  server = await accessServer({
    oidc_issuer: issuer.url,
    oidc_web_client_id: PAGE_CLIENT,
    oidc_web_scopes: 'read,write',
    oidc_web_resource: AUDIENCE,
    oidc_clock_skew: 0,
  });
  await server.registry.putMany(WEB_CATALOG);
  pages = await openPages(server.url);
});
afterEach(() => {
  issuer.setLifetime(3600);
  issuer.setDown(false);
});
afterAll(async () => {
  await pages.close();
  await server.close();
  await issuer.close();
});

const ACCOUNT = 'Sign in with your account';
const start = (page: Page) => page.getByRole('button', { name: ACCOUNT }).click();
const account = (page: Page) => page.locator('.account', { hasText: 'ada' });
const signIn = async (page: Page) => {
  await start(page);
  await account(page).waitFor();
};
/** Everything that the browser keeps for the page. */
const storage = (page: Page) =>
  page.evaluate<string[]>('[...Object.values(sessionStorage), ...Object.values(localStorage), document.cookie]');
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The issuer sends the browser back at once, with this in the address. */
async function answerWith(page: Page, edit: (query: URLSearchParams) => void): Promise<void> {
  await page.route(`${issuer.url}/auth?*`, async (route) => {
    const { searchParams: asked } = new URL(route.request().url());
    const back = new URL(asked.get('redirect_uri')!);
    back.searchParams.set('code', 'a-code');
    back.searchParams.set('state', asked.get('state')!);
    edit(back.searchParams);
    await route.fulfill({ status: 302, headers: { Location: back.href } });
  });
}

describe('sign-in with an account of an issuer', () => {
  it('comes back to the same page, shows who it is, and keeps the tokens in memory', async () => {
    const { page, problems } = await pages.open('/?q=pdf');
    const sent: Request[] = [];
    page.on('request', (request) => sent.push(request));
    await signIn(page);
    await page.locator('.result').first().waitFor();
    expect(new URL(page.url()).search).toBe('?q=pdf');
    expect(await storage(page)).toEqual(['']);
    const asked = sent.map((request) => new URL(request.url()));
    const { searchParams } = asked.find(({ pathname }) => pathname === '/auth')!;
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    const tokens = sent.find((request) => request.method() === 'POST' && request.url() === `${issuer.url}/token`);
    expect(new URLSearchParams(tokens?.postData() ?? '').get('code_verifier')).toMatch(/^[\w-]{43}$/);

    await page.goto(`${server.url}/ui/access`);
    await signIn(page);
    await page.getByText('a token', { exact: true }).waitFor();
    await page.getByText('payments').waitFor();
    expect(await page.locator('.rights .yes code').allTextContents()).toEqual(['read', 'write']);
    expect(problems).toEqual([]);
  });

  it('lets the page write what the account may write', async () => {
    const { page, problems } = await pages.open('/ui/documents');
    await signIn(page);
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
    await page.getByLabel('Name').fill('of-ada');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('of-ada').first().waitFor();
    const stored = await server.registry.get('document', '/collections/of-ada');
    expect(stored.entity.owner).toBe('ada');
    expect(problems).toEqual([]);
  });

  it('replaces a token that has expired, without a refusal, and once for requests at the same time', async () => {
    issuer.setLifetime(3);
    const { page, problems } = await pages.open('/?q=pdf');
    await signIn(page);
    await page.locator('.result').first().waitFor();
    issuer.setLifetime(3600);
    const before = issuer.grants().length;
    const statuses: number[] = [];
    page.on('response', (response) => statuses.push(response.status()));
    let asked = 0;
    // Slow, so that more requests need the token meanwhile.
    await page.route(`${issuer.url}/token`, async (route) => {
      asked += 1;
      await wait(1000);
      await route.continue();
    });
    await wait(3100);
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('link', { name: 'Memories' }).click();
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByText('of-ada').first().waitFor();
    expect(asked).toBe(1);
    expect(issuer.grants().slice(before)).toEqual(['refresh_token']);
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    expect(await storage(page)).toEqual(['']);
    expect(problems).toEqual([]);
  });

  it('says that it has ended when the issuer gives no new token', async () => {
    issuer.setLifetime(3);
    const { page } = await pages.open('/?q=pdf');
    await signIn(page);
    await page.locator('.result').first().waitFor();
    issuer.setDown(true);
    await wait(3500);
    await page.getByRole('searchbox').fill('weather');
    await page.getByText('Your sign-in has ended.').waitFor();
    await start(page);
    await page.getByRole('alert').getByText(`The sign-in service ${issuer.url} cannot be reached.`).waitFor();
  });

  it('signs out here and at the issuer', async () => {
    const { page, problems } = await pages.open('/?q=pdf');
    await signIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: ACCOUNT }).waitFor();
    expect(new URL(page.url()).origin).toBe(server.url);
    expect(await page.locator('.account').count()).toBe(0);
    expect(await storage(page)).toEqual(['']);
    expect(problems).toEqual([]);
  });

  it.each([
    ['another state', (query: URLSearchParams) => query.set('state', 'forged'), 'was not asked for by this tab'],
    [
      'another issuer',
      (query: URLSearchParams) => query.set('iss', 'https://evil.example.com'),
      'another sign-in service',
    ],
  ])('refuses an answer with %s, and asks for no token', async (_, edit, message) => {
    const { page, problems } = await pages.open('/?q=pdf');
    await answerWith(page, edit);
    const before = issuer.grants().length;
    await start(page);
    await page.getByRole('alert').getByText(message).waitFor();
    expect(page.url()).not.toContain('code=');
    expect(await page.locator('.result').count()).toBe(0);
    expect(await storage(page)).toEqual(['']);
    expect(issuer.grants().length).toBe(before);
    expect(problems).toEqual([]);
  });

  it('shows that the issuer takes no such code', async () => {
    const { page } = await pages.open('/?q=pdf');
    await answerWith(page, () => {});
    await start(page);
    await page.getByRole('alert').getByText('The sign-in service refused: ').waitFor();
    expect(await page.locator('.account').count()).toBe(0);
  });

  it('refuses an ID token that was made for another sign-in', async () => {
    const { page, problems } = await pages.open('/?q=pdf');
    await page.route(`${issuer.url}/auth?*`, async (route) => {
      const url = new URL(route.request().url());
      if (url.searchParams.get('nonce') === 'other') return route.continue();
      url.searchParams.set('nonce', 'other');
      await route.fulfill({ status: 302, headers: { Location: url.href } });
    });
    await start(page);
    await page.getByRole('alert').getByText('The ID token was not made for this sign-in.').waitFor();
    expect(await page.locator('.account').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('says what the issuer says when it refuses', async () => {
    const { page, problems } = await pages.open('/?q=pdf');
    await answerWith(page, (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
      query.set('error_description', 'Ask <b>your</b> admin');
    });
    await start(page);
    await page.getByRole('alert').getByText('The sign-in service refused: Ask <b>your</b> admin.').waitFor();
    expect(problems).toEqual([]);
  });

  it('says that the issuer is down, and API keys still work', async () => {
    const { page, problems } = await pages.open('/?q=pdf');
    // What the server has just read of it is good for two seconds.
    await wait(2100);
    issuer.setDown(true);
    await start(page);
    await page.getByRole('alert').getByText(`The sign-in service ${issuer.url} cannot be reached.`).waitFor();
    expect(problems).toEqual([]);
    await page.getByLabel('API key').fill(server.key({ name: 'reader' }));
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.account', { hasText: 'reader' }).waitFor();
    expect(problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('is in a dialog that everybody can use, in the %s theme', async (colorScheme) => {
    const { page } = await pages.open('/', { colorScheme, ...CHECKED });
    await page.getByRole('button', { name: ACCOUNT }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await answerWith(page, (query) => query.set('state', 'forged'));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

it('allows the page of the callback the token endpoint, and no other page anything', async () => {
  const connect = async (path: string) => {
    const policy = (await fetch(server.url + path)).headers.get('content-security-policy') ?? '';
    return policy.split('; ').find((directive) => directive.startsWith('connect-src'));
  };
  expect(await connect('/ui/signed-in?code=1')).toBe(`connect-src 'self' ${issuer.url}/token`);
  for (const path of ['/', '/ui/status', '/ui/signed-in/more']) expect(await connect(path)).toBe("connect-src 'self'");
});

it('is refused as a setting without an issuer, before anything listens', async () => {
  const settings = parseSettings({ auth: true, engine: 'memory', oidc_web_client_id: PAGE_CLIENT });
  await expect(openServerAccess(settings, null)).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    field: 'oidc_issuer',
    message: expect.stringContaining("'oidc_web_client_id'"),
  });
});
