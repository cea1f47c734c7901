// `npm run screenshots`: the pictures of README.md, from the built page over the example catalog. Needs `npm run build` before.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { loadExamples } from '../src/cli/sources/examples.ts';
import { parseSettings } from '../src/config.ts';
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

const folder = await mkdtemp(join(tmpdir(), 'dowser-screenshots-'));
const settings = { data_dir: folder, port: 0, tool_discovery: false };
const registry = await openRegistry(settings);
const logger = { info() {}, warn() {}, error() {} };
const server = await startServer({ registry, version: '0', logger, settings: parseSettings(settings) });
const browser = await launchBrowser();
try {
  await loadExamples(registry);
  await registry.embedPending();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, path, prepare } of SHOTS) {
      const context = await browser.newContext({ viewport: { width: 1120, height: 720 }, colorScheme });
      const page = await context.newPage();
      await page.goto(server.url + path);
      await prepare(page);
      const file = join(FOLDER, `${name}-${colorScheme}.png`);
      await page.screenshot({ path: file });
      console.log(file);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
  await rm(folder, { recursive: true });
}
