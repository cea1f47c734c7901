import { existsSync } from 'node:fs';
import bundled from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  // Containers have little shared memory.
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of the system, or the one inside the package. */
export const chromiumPath = async (): Promise<string> =>
  SYSTEM.find((path) => existsSync(path)) ?? (await bundled.executablePath());

/** Throws where no Chromium runs: these tests are never left out. */
export async function launchBrowser(): Promise<Browser> {
  // Playwright gives each browser a new folder for its data.
  return chromium.launch({ executablePath: await chromiumPath(), args: FLAGS });
}
