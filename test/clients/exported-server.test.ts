import { afterAll, beforeAll, expect, it } from 'vitest';
import { reachOf } from '../../src/access/auth-mode.ts';
import { parseSettings } from '../../src/config.ts';
import { createDocuments } from '../../src/documents/create-documents.ts';
import { readMarkdown } from '../../src/documents/read/formats/markdown.ts';
import { toContent } from '../../src/documents/scan/to-file-change.ts';
import { createCollectionApp } from '../../src/http/exported/collection-app.ts';
import { serverLoad } from '../../src/http/load/server-load.ts';
import { createMemories } from '../../src/memories/create-memories.ts';
import { DowserError } from '../../src/model/errors/errors.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { wordsRegistry } from '../support/words-registry.ts';

/** The model is down: only the vectors of the client are left. */
const embedder = new WordEmbedder();
let registry: LocalRegistry;
let app: ReturnType<typeof createCollectionApp>;
let gourd: readonly number[];
beforeAll(async () => {
  registry = await wordsRegistry([], embedder);
  const documents = createDocuments(registry);
  await documents.createCollection({ name: 'tea' });
  const text = '# Green\n\nGreen tea needs 80 degrees.\n\n# Mate\n\nMate needs a gourd.\n';
  const chunking = { strategy: 'headings', max_chars: 1500, overlap_chars: 150 } as const;
  const id = '0'.repeat(16);
  const content = toContent(id, readMarkdown({ name: 'tea.md', text }), chunking);
  if ('code' in content) throw new Error(content.message);
  await documents.putFiles('tea', { put: [{ id, path: 'tea.md', size: 1, mtime_ms: 1, hash: 'h', content }] });
  await registry.embedPending();
  gourd = [...(await embedder.embed(['gourd'], { as: 'query' }))[0]!];
  embedder.failure = new DowserError('EMBEDDER_UNAVAILABLE', 'down');
  const settings = parseSettings({});
  app = createCollectionApp({
    registry,
    documents,
    memories: createMemories(registry),
    collection: 'tea',
    chat: null,
    version: '1',
    load: serverLoad(settings),
    logger: { info() {}, warn() {}, error() {} },
    ...reachOf(settings),
    anyOrigin: true,
  });
});
afterAll(() => registry.close());

const TEXT = expect.any(String);

/** What the clients of an exported server of IndexFoundry send, all from a page of another origin, and what they read. */
const ROWS: readonly (readonly [
  row: string,
  method: string,
  path: string,
  body: unknown,
  status: number,
  answer: unknown,
])[] = [
  ['health', 'GET', '/health', undefined, 200, { status: 'ok', project: 'tea', chunks: 2, vectors: 2, sources: 1 }],
  ['stats', 'GET', '/stats', undefined, 200, { project: 'tea', has_embeddings: true }],
  ['sources', 'GET', '/sources', undefined, 200, { total: 1, sources: [{ uri: 'tea.md' }] }],
  [
    'a mode comes back as it was asked',
    'POST',
    '/search',
    { query: 'gourd', mode: 'keyword' },
    200,
    { mode: 'keyword' },
  ],
  [
    'a vector that fits is used, without the model',
    'POST',
    '/search',
    { query: 'a vessel', mode: 'semantic', query_vector: '$gourd' },
    200,
    { mode: 'semantic', warnings: [], results: [{ text: 'Mate needs a gourd.' }, {}] },
  ],
  [
    'a vector that does not fit is named',
    'POST',
    '/search',
    { query: 'a vessel', mode: 'semantic', query_vector: [1, 0] },
    200,
    { warnings: expect.arrayContaining([expect.stringContaining('it has 2 numbers, and the model 64')]) },
  ],
  ['no query', 'POST', '/search', { top_k: 3 }, 400, { error: TEXT }],
  ['an unknown mode', 'POST', '/search', { query: 'a', mode: 'fuzzy' }, 400, { error: TEXT }],
  ['an unknown chunk', 'GET', '/chunks/none', undefined, 404, { error: TEXT }],
  ['no question', 'POST', '/chat', {}, 400, { error: TEXT }],
];

it.each(ROWS)('IndexFoundry: %s (%s %s)', async (_row, method, path, sent, status, answer) => {
  const body = JSON.stringify(sent)?.replace('"$gourd"', JSON.stringify(gourd));
  const headers = { Host: 'localhost', Origin: 'https://pages.example', 'Content-Type': 'application/json' };
  const response = await app.request(`http://localhost${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expect(await response.json()).toMatchObject(answer as object);
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
});
