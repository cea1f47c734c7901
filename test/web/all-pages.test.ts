import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE, HOSTILE_CATALOG, LONG } from './hostile-catalog.ts';
import { WEB_CATALOG } from './web-catalog.ts';
import { openWeb, type Web } from './web-server.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb([...WEB_CATALOG, ...HOSTILE_CATALOG]);
});
afterAll(() => web.close());

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
  { path: '/ui/status', ready: '.facts' },
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

  it('is shown as it is', async () => {
    const { page } = await openAll(entity('mcp_server:/hostile'));
    const text = (await page.locator('main').textContent()) ?? '';
    for (const part of HOSTILE) expect(text).toContain(part);
    expect(text).toContain(LONG);
  });
});

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

describe.each(['light', 'dark'] as const)('accessibility in the %s theme', (colorScheme) => {
  it.each(paths)('has no serious finding at %s', async (path) => {
    // The policy of the page would refuse the script of the checker.
    const { page } = await openAll(path, { colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate<AxeReport>(
      "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })",
    );
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]);
    expect(found).toEqual([]);
  });
});
