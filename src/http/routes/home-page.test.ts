import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';
import { homePage } from './home-page.ts';

const page = homePage('http://127.0.0.1:7470', '1.2.3');

describe('homePage', () => {
  it('says where an agent connects and where a crawler begins', () => {
    expect(page).toContain('claude mcp add --transport http dowser http://127.0.0.1:7470/mcp<');
    expect(page).toContain('<link rel="ard" href="/.well-known/ard.json">');
  });

  it('links only to what is served, and stays small', async () => {
    const app = createApp({
      registry: await memoryRegistry(),
      version: '1.2.3',
      logger: { info() {}, warn() {}, error() {} },
      load: serverLoad({ ...parseSettings({}), body_limit_bytes: 1000 }),
      logQueryText: false,
      loopbackOnly: false,
    });
    const links = new Set([...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!));
    expect(links.size).toBeGreaterThan(4);
    for (const href of links)
      expect([href, (await app.request(href, { headers: { Host: 'localhost' } })).status]).toEqual([href, 200]);
    expect(page.length).toBeLessThan(3000);
  });

  it('escapes the address', () => {
    expect(homePage('http://a"><script>', '<b>')).not.toMatch(/<script>|<b>/);
  });
});
