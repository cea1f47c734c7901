import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { openDocumentReader } from '../../src/documents/read/open-document-reader.ts';
import { uploadFile } from '../../src/documents/upload-file.ts';
import { keepEvaluation } from '../../src/http/evaluation-file.ts';
import { type FakeChatServer, startFakeChatServer, streaming } from '../support/fake-chat-server.ts';
import { CHECKED, seriousFindings } from './axe.ts';
import { evaluationRun } from './evaluation-run.ts';
import { HOSTILE, HOSTILE_CATALOG, LONG } from './hostile-catalog.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
let chat: FakeChatServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dowser-pages-'));
  for (const [day, score] of [0.9, 0.1].entries()) {
    const scored = Object.fromEntries([...HOSTILE, LONG].map((query) => [query, score]));
    await keepEvaluation(folder, evaluationRun(day + 1, scored, HOSTILE[0]));
  }
  chat = await startFakeChatServer();
  chat.reply = streaming(`[1] ${HOSTILE.join(' ')} ${LONG}`);
  web = await openWeb([...WEB_CATALOG, ...HOSTILE_CATALOG], {
    chat_url: chat.base,
    chat_model: HOSTILE[0],
    log_query_text: true,
    data_dir: folder,
  });
  // Questions without an answer are listed on the page Status.
  for (const text of HOSTILE) await web.registry.search({ query: `zzz ${text}` });
  const documents = createDocuments(web.registry);
  await documents.createCollection({ name: 'hostile', note: HOSTILE.join(' ') });
  const reader = openDocumentReader();
  for (const name of NAMED) {
    const { buffer } = hostileFile(name);
    for await (const _ of uploadFile({ documents, reader, now: () => new Date(0) }, 'hostile', {
      path: name,
      bytes: buffer,
    }));
  }
  await reader.close();
});
afterAll(async () => {
  await web.close();
  await chat.close();
  await rm(folder, { recursive: true });
});

/** Hostile names that a file can have. */
const NAMED = HOSTILE.filter((name) => !name.includes('/')).map((name) => `${name}.md`);
const hostileFile = (name: string) => ({
  name,
  mimeType: 'text/markdown',
  buffer: Buffer.from(`# hostile ${HOSTILE.join(' ')}\n\nhostile ${HOSTILE.join('\n')} ${LONG}\n`),
});

const entity = (id: string) => `/ui/entity?id=${encodeURIComponent(id)}`;

/** Every page, with what shows that its content is there, and what opens the rest of it. */
const PAGES: readonly {
  readonly path: string;
  readonly ready: string;
  readonly open?: (page: Page) => Promise<void>;
}[] = [
  { path: '/', ready: '.tiles' },
  {
    path: '/?q=hostile',
    ready: '.result',
    async open(page) {
      await page.locator('.tool summary').first().click();
      await page.getByRole('button', { name: 'Why?' }).first().click();
      await page.getByText('The numbers').click();
      await page.locator('.why .bar').first().waitFor();
      await page.getByRole('button', { name: 'Is something missing?' }).click();
      await page.getByLabel('What did you expect?').fill('hostile');
      await page.locator('.pick').first().click();
      await page.locator('.stages').waitFor();
    },
  },
  { path: '/?q=quantum+lattice', ready: '.empty' },
  {
    path: entity('mcp_server:/hostile'),
    ready: '.entity .disclosure',
    async open(page) {
      await page.locator('.disclosure summary').first().click();
      await page.locator('.fields').first().waitFor();
      await page.locator('.relation-list').waitFor();
    },
  },
  { path: entity('skill:/skills/hostile'), ready: '.prose' },
  {
    path: '/ui/map?q=hostile',
    ready: '.map-list li',
    async open(page) {
      await page.locator('.map text').first().waitFor();
      await page
        .getByRole('button', { name: /^Show / })
        .nth(1)
        .click();
    },
  },
  { path: '/ui/compare?q=hostile', ready: '.move' },
  {
    path: '/ui/recommend',
    ready: 'form',
    async open(page) {
      await page.getByLabel('What do you need?').fill('hostile');
      await page.getByRole('button', { name: 'Recommend' }).click();
      await page.locator('.turn').waitFor();
    },
  },
  { path: '/ui/memories', ready: '.memory' },
  {
    path: '/ui/documents?collection=hostile&q=hostile',
    ready: '.chunk',
    async open(page) {
      await page.locator('.chunk summary').first().click();
      await page.locator('.chunk .prose').first().waitFor();
      await page.locator('.collection summary', { hasText: 'Documents' }).click();
      await page.locator('.files li').first().waitFor();
      await page.locator('input[type=file]').setInputFiles(NAMED.map(hostileFile));
      await page
        .locator('.uploads li.done')
        .nth(NAMED.length - 1)
        .waitFor();
    },
  },
  {
    path: '/ui/documents?collection=hostile&mode=ask',
    ready: '.ask',
    async open(page) {
      await page.getByLabel('Ask hostile').fill(`hostile ${HOSTILE.join(' ')}`);
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.locator('.answer .cite').first().waitFor();
    },
  },
  { path: '/ui/add', ready: 'form' },
  { path: '/ui/compose', ready: '.ticks li' },
  {
    path: '/ui/policy',
    ready: 'textarea',
    async open(page) {
      const servers = Object.fromEntries(HOSTILE.map((text) => [text, { url: `https://x.example/${text}` }]));
      await page.locator('textarea').fill(JSON.stringify({ mcpServers: servers }));
      await page.locator('.verdicts li').first().waitFor();
    },
  },
  { path: '/ui/status', ready: '.chart' },
  { path: '/ui/access', ready: '.rights' },
  { path: '/ui/quality', ready: '.losses li' },
  { path: '/ui/audit', ready: 'form' },
  { path: '/ui/settings', ready: '.settings' },
  { path: '/ui/nothing', ready: '.empty' },
];

async function openAll(path: string, options = {}) {
  const row = PAGES.find((one) => one.path === path)!;
  const opened = await web.open(path, options);
  await opened.page.locator(row.ready).first().waitFor();
  await row.open?.(opened.page);
  return opened;
}

const paths = PAGES.map(({ path }) => path);

describe('hostile text', () => {
  it.each(paths)('does no harm at %s', async (path) => {
    const { page, problems } = await openAll(path, { viewport: { width: 390, height: 800 } });
    expect(await page.evaluate('window.harmed')).toBeUndefined();
    // Nothing of a publisher became an element.
    expect(await page.locator('main script, main img, main iframe, main style, main marquee').count()).toBe(0);
    expect(await page.locator('main a[href^="javascript:"]').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(problems).toEqual([]);
  });

  it('could become no element and no script, even if the page had a fault', async () => {
    const { page } = await openAll(paths[0]!);
    const refusal = (script: string) =>
      page.evaluate(`(async () => { try { ${script}; return 'done'; } catch (error) { return error.message; } })()`);
    for (const sink of [
      "document.body.innerHTML = '<b>x</b>'",
      "document.write('<b>x</b>')",
      'new DOMParser().parseFromString("<b>x</b>", "text/html")',
    ]) {
      expect(await refusal(sink), sink).toMatch(/requires 'TrustedHTML' assignment/);
    }
    expect(await refusal("document.createElement('script').src = '/x.js'")).toMatch(/TrustedScriptURL/);
  });

  it('is shown as it is', async () => {
    const { page } = await openAll(entity('mcp_server:/hostile'));
    const text = (await page.locator('main').textContent()) ?? '';
    for (const part of HOSTILE) expect(text).toContain(part);
    expect(text).toContain(LONG);
  });
});

describe.each(['light', 'dark'] as const)('accessibility in the %s theme', (colorScheme) => {
  it.each(paths)('has no serious finding at %s', async (path) => {
    const { page } = await openAll(path, { colorScheme, ...CHECKED });
    expect(await seriousFindings(page)).toEqual([]);
  });
});
