import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { loadExamples } from '../../src/cli/context/examples.ts';
import { loadSettings } from '../../src/config.ts';
import { BreakerEmbedder } from '../../src/embedders/wrappers/breaker.ts';
import { startServer } from '../../src/http/server.ts';
import { readWebFiles } from '../../src/http/web/web-files.ts';
import { openRegistry } from '../../src/open.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { launchBrowser } from './browser.ts';
import { WEB_CATALOG } from './web-catalog.ts';

/** A step that never comes fails here, with its name, and not at the end of the test. */
const STEP_MS = 45_000;
// A browser beside the rest of the suite, on two cores, is slow.
vi.setConfig({ testTimeout: 2 * STEP_MS, hookTimeout: 2 * STEP_MS });

/** A page in a browser. `problems` has everything that its console complained about, and every script error. */
export interface OpenPage {
  readonly page: Page;
  readonly problems: string[];
}

export interface Web {
  readonly url: string;
  readonly registry: Awaited<ReturnType<typeof openRegistry>>;
  readonly embedder: WordEmbedder;
  /** Opens a page in a window of its own, and waits until its first content is there. */
  open(path: string, options?: BrowserContextOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

/** The built page, behind a real server on a free port, in a real browser. */
export async function openWeb(
  entities: readonly unknown[] = WEB_CATALOG,
  own: Readonly<Record<string, unknown>> = {},
): Promise<Web> {
  const embedder = new WordEmbedder();
  const settings = { engine: 'memory', port: 0, tool_discovery: false, discovery_private_addresses: true, ...own };
  const breaker = new BreakerEmbedder(embedder);
  const opened = { embedder: breaker, state: () => breaker.state(), warm: async () => undefined };
  const registry = await openRegistry(settings, { embedder: opened });
  await registry.putMany(entities);
  await registry.embedPending();
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({
    registry,
    version: '0',
    logger,
    ...loadSettings({ env: {}, flags: settings }),
    loadExamples,
  });
  const pages = await openPages(server.url);
  return {
    url: server.url,
    registry,
    embedder,
    open: pages.open,
    async close() {
      await pages.close();
      await server.close();
    },
  };
}

/** A browser that opens pages of a server. */
export async function openPages(url: string): Promise<Pick<Web, 'open' | 'close'>> {
  expect(readWebFiles(), 'dist/web is missing: run `npm run build`').not.toBeNull();
  const browser: Browser = await launchBrowser();
  return {
    async open(path, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      context.setDefaultTimeout(STEP_MS);
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(url + path);
      await page.locator('main > *').first().waitFor();
      return { page, problems };
    },
    async close() {
      // Answers that a test holds or changes may still be under way.
      const opened = browser.contexts().flatMap((context) => context.pages());
      await Promise.all(opened.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await browser.close();
    },
  };
}
