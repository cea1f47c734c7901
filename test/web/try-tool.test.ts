import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addServer } from '../support/called-registry.ts';
import { type HttpUpstream, httpUpstream } from '../support/http-upstream.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
let upstream: HttpUpstream;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-try-'));
  upstream = await httpUpstream('streamable');
  web = await openWeb([], { call: 'destructive', data_dir: dir });
  await addServer(web.registry, dir, { url: upstream.url, name: 'far' });
  upstream.log.length = 0;
});
afterAll(async () => {
  await web.close();
  await upstream.close();
  await rm(dir, { recursive: true, force: true });
});

const tool = (name: string) => `/ui/entity?id=${encodeURIComponent(`tool:/far#${name}`)}`;

describe('a tool that can be called', () => {
  it('is tried on its page, with arguments as JSON, and shows its answer as text', async () => {
    const { page, problems } = await web.open(tool('echo'));
    await page.locator('summary', { hasText: 'echo' }).click();
    const form = page.getByRole('form', { name: 'Try it' });
    const text = '<b>bold</b>';
    await form.getByLabel('Arguments, as JSON').fill(JSON.stringify({ text }));
    await form.getByRole('button', { name: 'Call the tool' }).click();
    await form.getByRole('region', { name: 'Answer' }).getByText(text).waitFor();
    expect(upstream.log).toContain('call echo');
    await form.getByLabel('Arguments, as JSON').fill('{');
    await form.getByRole('button', { name: 'Call the tool' }).click();
    await form.getByText('The arguments must be a JSON object.').waitFor();
    expect(problems).toEqual([]);
  });

  it('says what was wrong with arguments that do not fit', async () => {
    const { page } = await web.open(tool('echo'));
    await page.locator('summary', { hasText: 'echo' }).click();
    await page.getByLabel('Arguments, as JSON').fill('{"text": 3}');
    await page.getByRole('button', { name: 'Call the tool' }).click();
    await page.getByText('/text must be string').waitFor();
  });

  it('is not offered if it does more than read', async () => {
    const { page } = await web.open(tool('write'));
    const checked = page.waitForResponse((response) => response.url().endsWith('/api/call/preflight'));
    await page.locator('summary', { hasText: 'write' }).click();
    await checked;
    await page.getByRole('heading', { name: 'Parameters' }).waitFor();
    expect(await page.getByRole('form', { name: 'Try it' }).count()).toBe(0);
  });
});
