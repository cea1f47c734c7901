// `npm run screenshots`: the pictures of README.md, from the built page over the example catalog. `npm run screenshots -- DIR`:
// every page instead, light and dark, 1280 and 390 wide, to look at. Needs `npm run build` before.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { KEY_HEADER, keyOf } from '../src/api/wire/local-proof.ts';
import { loadExamples } from '../src/cli/context/examples.ts';
import { loadSettings } from '../src/config.ts';
import { startServer } from '../src/http/server.ts';
import { openRegistry } from '../src/open.ts';
import { launchBrowser } from '../test/web/browser.ts';

const FOLDER = fileURLToPath(new URL('../images/', import.meta.url));

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly prepare: (page: Page) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  {
    name: 'search',
    path: '/?q=read+a+pdf',
    prepare: (page) => page.locator('.result').nth(2).waitFor(),
  },
  {
    name: 'why',
    path: '/?q=who+is+on+call+right+now',
    async prepare(page) {
      await page.getByRole('button', { name: 'Why?' }).first().click();
      await page.getByText('The numbers').click();
      await page.locator('.why .bar').first().waitFor();
    },
  },
  {
    name: 'entity',
    path: '/ui/entity?id=mcp_server:/github',
    async prepare(page) {
      await page.locator('.disclosure summary', { hasText: 'search_code' }).click();
      await page.locator('.fields').first().waitFor();
      await page.locator('svg.graph').waitFor();
    },
  },
];

/** Every page, with what shows that it is there. `auth`: from a server that needs credentials, as its admin. */
const EVERY: readonly { readonly name: string; readonly path: string; readonly ready: string; readonly auth?: true }[] =
  [
    { name: 'landing', path: '/', ready: '.questions' },
    { name: 'results', path: '/?q=read+a+pdf', ready: 'aside .count, .filters-toggle .count' },
    { name: 'low-confidence', path: '/?q=bake+a+cake', ready: '.summary' },
    { name: 'nothing-fits', path: '/?q=quantum+chromodynamics', ready: '.empty' },
    { name: 'entity', path: '/ui/entity?id=mcp_server:/github', ready: 'svg.graph' },
    { name: 'skill', path: '/ui/entity?id=skill:/skills/pdf', ready: '.prose' },
    { name: 'map', path: '/ui/map?q=query+a+database', ready: '.map .query' },
    { name: 'recommend', path: '/ui/recommend', ready: 'form' },
    { name: 'compare', path: '/ui/compare?q=read+a+pdf', ready: '.move' },
    { name: 'memories', path: '/ui/memories', ready: '.memory' },
    { name: 'documents', path: '/ui/documents', ready: 'form' },
    { name: 'add', path: '/ui/add', ready: 'form' },
    { name: 'compose', path: '/ui/compose', ready: '.ticks li' },
    { name: 'policy', path: '/ui/policy', ready: 'textarea' },
    { name: 'status', path: '/ui/status', ready: '.chart', auth: true },
    { name: 'access', path: '/ui/access', ready: '.keys li', auth: true },
    { name: 'quality', path: '/ui/quality', ready: '.empty', auth: true },
    { name: 'audit', path: '/ui/audit', ready: 'tbody tr', auth: true },
    { name: 'settings', path: '/ui/settings', ready: '.settings', auth: true },
    { name: 'not-found', path: '/ui/nothing', ready: '.empty' },
  ];
const WIDTHS = [1280, 390] as const;

const SECRET = 'screenshots';
const logger = { info() {}, warn() {}, error() {} };

/** The example catalog behind a server. */
async function serve(folder: string, more: Readonly<Record<string, unknown>> = {}) {
  const flags = { data_dir: folder, port: 0, tool_discovery: false, ...more };
  const loaded = loadSettings({ env: {}, flags });
  const registry = await openRegistry(flags);
  const server = await startServer({ registry, version: '0', logger, secret: SECRET, ...loaded });
  await loadExamples(registry);
  await registry.embedPending();
  return server;
}

async function shootReadme(browser: Browser, url: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, path, prepare } of SHOTS) {
      const context = await browser.newContext({ viewport: { width: 1120, height: 720 }, colorScheme });
      const page = await context.newPage();
      await page.goto(url + path);
      await prepare(page);
      const file = join(FOLDER, `${name}-${colorScheme}.png`);
      await page.screenshot({ path: file });
      console.log(file);
      await context.close();
    }
  }
}

async function shootEvery(browser: Browser, open: string, closed: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const asked = { method: 'POST', headers: { 'Content-Type': 'application/json', [KEY_HEADER]: keyOf(SECRET) } };
  const body = JSON.stringify({ name: 'admin', scopes: ['admin'] });
  const { key } = (await (await fetch(`${closed}/api/admin/keys`, { ...asked, body })).json()) as { key: string };
  for (const width of WIDTHS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      await page.goto(`${closed}/ui/nothing`);
      await page.evaluate(`sessionStorage.setItem('dowser-key', '${key}')`);
      for (const { name, path, ready, auth } of EVERY) {
        await page.goto((auth === true ? closed : open) + path);
        await page.locator(ready).filter({ visible: true }).or(page.locator('.found')).first().waitFor();
        await page.waitForLoadState('networkidle');
        const file = join(to, `${name}-${colorScheme}-${width}.png`);
        await page.screenshot({ path: file });
        console.log(file);
      }
      await context.close();
    }
  }
}

const to = process.argv[2];
const folder = await mkdtemp(join(tmpdir(), 'dowser-screenshots-'));
const open = await serve(join(folder, 'open'));
const closed = to === undefined ? undefined : await serve(join(folder, 'closed'), { auth: true, log_query_text: true });
const browser = await launchBrowser();
try {
  if (closed === undefined) await shootReadme(browser, open.url);
  else await shootEvery(browser, open.url, closed.url, to!);
} finally {
  await browser.close();
  await open.close();
  await closed?.close();
  await rm(folder, { recursive: true });
}
