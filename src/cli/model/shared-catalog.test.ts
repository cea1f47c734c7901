import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../../api/wire/local-proof.ts';
import { parseSettings } from '../../config.ts';
import { modelsDirectory } from '../../embedders/models/model-store.ts';
import { writeServerFile } from '../context/server-file.ts';
import { SharedCatalog } from './shared-catalog.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-shared-'));
  await writeServerFile(dir, { url: 'http://dowser.test', command: 'mcp', secret: 'abc' });
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(dir, { recursive: true });
});

/** How often the holder of the folder is asked to search, where every search fails with this. */
async function searchesOf(code: string): Promise<number> {
  let searches = 0;
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    const proof = proofOf('abc', headers[CHALLENGE_HEADER] ?? '') ?? '';
    if (url.endsWith('/health')) return Response.json({ store: { path: dir } }, { headers: { [PROOF_HEADER]: proof } });
    searches++;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('No answer'), { code }) });
  });
  const logger = { info() {}, warn() {}, error() {} };
  const settings = parseSettings({ data_dir: dir, embeddings_provider: 'off' });
  const catalog = new SharedCatalog({ settings, version: '1.2.3', logger });
  await expect(catalog.search({ query: 'pages' })).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  await catalog.close();
  return searches;
}

it.each([
  ['again when the holder of the folder is gone', 'ECONNREFUSED', 2],
  ['once when it is only late', 'UND_ERR_HEADERS_TIMEOUT', 1],
])('asks %s', async (_, code, expected) => {
  expect(await searchesOf(code)).toBe(expected);
});

it('takes a client that leaves while the model is loading for no failure', async () => {
  const warnings: unknown[] = [];
  const logger = { info() {}, warn: (...line: unknown[]) => warnings.push(line), error() {} };
  const settings = parseSettings({
    engine: 'memory',
    data_dir: join(dir, 'own'),
    embeddings_provider: 'local',
    models_dir: modelsDirectory(),
  });
  const catalog = new SharedCatalog({ settings, version: '1.2.3', logger });
  await catalog.health();
  await catalog.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(warnings).toEqual([]);
});
