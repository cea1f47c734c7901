import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { parseSettings } from '../../config.ts';
import { createApp } from '../app.ts';
import { serverLoad } from '../load/server-load.ts';
import { readWebFiles, type WebFiles } from './web-files.ts';

const file = (type: string, text: string) => {
  const bytes = new TextEncoder().encode(text);
  return { type, bytes, gzipped: new Uint8Array(bytes) };
};

const FILES: WebFiles = new Map([
  ['index.html', file('text/html; charset=utf-8', '<!doctype html>page')],
  ['assets/index-1.js', file('text/javascript; charset=utf-8', 'run()')],
]);

async function get(path: string, headers: Record<string, string> = {}, web: WebFiles | null = FILES) {
  const app = createApp({
    registry: await memoryRegistry(),
    version: '0',
    logger: { info() {}, warn() {}, error() {} },
    load: serverLoad(parseSettings({})),
    logQueryText: false,
    loopbackOnly: true,
    web,
  });
  return app.request(path, { headers: { Host: 'localhost', ...headers } });
}

it.each(['/', '/ui/entity', '/ui/memories', '/ui/deep/er'])('answers %s with the page', async (path) => {
  const response = await get(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await response.text()).toContain('page');
  expect(response.headers.get('cache-control')).toBe('no-store');
});

it('forbids inline scripts and styles, and everything from elsewhere', async () => {
  const policy = (await get('/')).headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const others = ["connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"];
  for (const directive of [...others, "require-trusted-types-for 'script'"]) expect(policy).toContain(directive);
});

it('lets a browser keep assets, and misses them politely', async () => {
  const found = await get('/ui/assets/index-1.js');
  expect([found.status, found.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(found.headers.get('cache-control')).toContain('immutable');
  expect((await get('/ui/assets/index-0.js')).status).toBe(404);
});

it('sends gzip only to those who take it', async () => {
  const encoding = async (accepted: string) =>
    (await get('/', { 'Accept-Encoding': accepted })).headers.get('content-encoding');
  expect([await encoding('gzip, br'), await encoding('identity')]).toEqual(['gzip', null]);
});

it('leaves a page of links without the web page', async () => {
  const home = await get('/', {}, null);
  expect(await home.text()).toContain('/openapi.json');
  expect((await get('/ui/entity', {}, null)).status).toBe(404);
});

it('reads the built page, and knows when there is none', () => {
  const files = readWebFiles();
  expect(files, 'run `npm run build`').not.toBeNull();
  for (const { bytes, gzipped } of files?.values() ?? []) {
    expect(Buffer.compare(gunzipSync(gzipped), bytes)).toBe(0);
  }
  expect(readWebFiles('/nowhere')).toBeNull();
});
