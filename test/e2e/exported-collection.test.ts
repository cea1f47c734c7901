import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeEmbeddingServer, startFakeEmbeddingServer } from '../support/fake-embedding-server.ts';
import { MAIN, Sandbox } from './cli-process.ts';

const PARTS = ['kettle', 'lamp', 'stove', 'harbor', 'ladder', 'pump', 'window', 'ferry', 'garden', 'bell'];
const WORDS = ['repairs', 'safety', 'history', 'prices', 'storage', 'cleaning', 'training', 'noise', 'weather', 'keys'];

/** Ten files of ten sections each. Every section has a part number of its own. */
const FILES = PARTS.map((part, at) => {
  const sections = WORDS.map(
    (word, i) =>
      `## ${word}\n\nAbout the ${word} of the ${part}: call ${WORDS[(i + at) % 10]} desk ${at}${i}.\nPart KX-${at}${i}7${i}.\n`,
  );
  return [`${part}.md`, `# The ${part}\n\n${sections.join('\n')}`] as const;
});
/** 200 questions: by code, by words, by both. */
const QUESTIONS = PARTS.flatMap((part, at) =>
  WORDS.flatMap((word, i) => [
    i % 2 === 0 ? `KX-${at}${i}7${i}` : `which desk knows the ${word} of the ${part}`,
    i % 3 === 0 ? `who cares for ${word} and KX-${at}${i}7${i}` : `${part} ${word}`,
  ]),
);

const DIMENSIONS = 32;

let sandbox: Sandbox;
let endpoint: FakeEmbeddingServer;
let env: NodeJS.ProcessEnv;
let folder: string;
let exported: { readonly url: string; stop(): Promise<void> };
beforeAll(async () => {
  sandbox = await Sandbox.open();
  endpoint = await startFakeEmbeddingServer(DIMENSIONS);
  env = {
    EMBEDDINGS_PROVIDER: 'openai',
    EMBEDDINGS_API_BASE: endpoint.base,
    EMBEDDINGS_API_KEY: 'sk-do-not-show',
    EMBEDDINGS_MODEL_NAME: 'test-model',
    EMBEDDINGS_DIMENSIONS: String(DIMENSIONS),
  };
  const files = join(sandbox.dir, 'secret-place');
  await mkdir(files);
  for (const [name, text] of FILES) await writeFile(join(files, name), text);
  const added = await sandbox.run(['docs', 'add', files, '--name', 'house', '--note', 'The house.'], env);
  expect([added.code, added.stderr.includes('error')]).toEqual([0, false]);
  // The collection is not alone: others have its words, and more of some than it has.
  const others = join(sandbox.dir, 'others');
  await mkdir(others);
  await writeFile(join(others, 'desk.md'), `# Desks\n\n${'A desk for the kettle and the ferry. '.repeat(40)}`);
  expect((await sandbox.run(['docs', 'add', others, '--name', 'others'], env)).code).toBe(0);
  const skills = PARTS.map((part) => ({ type: 'skill', path: `/${part}`, name: `${part} repairs`, tags: [part] }));
  await writeFile(join(sandbox.dir, 'skills.jsonl'), skills.map((skill) => JSON.stringify(skill)).join('\n'));
  expect((await sandbox.run(['import', join(sandbox.dir, 'skills.jsonl')], env)).code).toBe(0);
  const written = await sandbox.run(['docs', 'export', 'house', join(sandbox.dir, 'written')], env);
  expect([written.code, written.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  // Another place: nothing in the folder may depend on where it was written.
  folder = join(sandbox.dir, 'elsewhere');
  await rename(join(sandbox.dir, 'written'), folder);
  exported = await startExported();
}, 180_000);
afterAll(async () => {
  await exported?.stop();
  await endpoint?.close();
  await sandbox?.close();
});

/** With an environment of its own: no setting of Dowser but the endpoint of the model. */
async function startExported() {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: sandbox.dir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  const url = /http:\S+/.exec(said as string)![0];
  return {
    url,
    async stop() {
      const closed = once(child, 'close');
      process.kill(-child.pid!, 'SIGTERM');
      await closed;
    },
  };
}

interface Found {
  readonly mode: string;
  readonly results: readonly {
    readonly chunk_id: string;
    readonly score: number;
    readonly confidence: number;
    readonly text: string;
  }[];
}

const post = async (url: string, body: unknown) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, json: (await response.json()) as Found };
};

describe('an exported collection', () => {
  it('answers 200 questions as Dowser does: the same ids, order and scores', { timeout: 120_000 }, async () => {
    const server = await sandbox.serve([], env);
    const brief = ({ results, mode }: Found) => ({
      mode,
      results: results.map(({ chunk_id, score, confidence, text }) => ({ chunk_id, score, confidence, text })),
    });
    expect(QUESTIONS).toHaveLength(200);
    for (const query of QUESTIONS) {
      const own = await post(`${server.url}/api/collections/house/search`, { query });
      const other = await post(`${exported.url}/search`, { query });
      expect([query, brief(other.json)]).toEqual([query, brief(own.json)]);
      expect(other.json.results.length).toBeGreaterThan(0);
    }
    await server.stop('SIGTERM');
  });

  it('has the routes of the seed at its root', async () => {
    const get = async (path: string) => (await fetch(exported.url + path)).json();
    const health = (await get('/health')) as Record<string, unknown>;
    expect(health).toMatchObject({ status: 'ok', project: 'house', chunks: 100, vectors: 100, sources: 10 });
    expect(await get('/stats')).toMatchObject({ project: 'house', description: 'The house.', has_embeddings: true });
    expect(await get('/sources')).toMatchObject({ total: 10 });
    const { json } = await post(`${exported.url}/search`, { query: 'KX-0070', top_k: 1 });
    expect(json.results[0]).toMatchObject({ path: 'kettle.md', source_type: 'markdown', notes: ['The house.'] });
    expect(await get(`/chunks/${json.results[0]!.chunk_id}`)).toMatchObject({ score: 1 });
    expect((await fetch(`${exported.url}/chunks/none`)).status).toBe(404);
    expect((await post(`${exported.url}/search`, {})).status).toBe(400);
    const chat = await post(`${exported.url}/chat`, {
      question: 'which desk knows the keys of the bell',
      stream: false,
    });
    expect(chat.json).toMatchObject({ model: null, sources: expect.arrayContaining([expect.anything()]) });
  });

  it('answers pages of every origin, until its file names some', { timeout: 60_000 }, async () => {
    const file = join(folder, 'collection.json');
    const before = await readFile(file, 'utf8');
    const ask = async (url: string) => {
      const headers = { 'Content-Type': 'application/json', Origin: 'https://pages.example' };
      const response = await fetch(`${url}/search`, { method: 'POST', headers, body: '{"query": "kettle"}' });
      return [response.status, response.headers.get('access-control-allow-origin')];
    };
    expect(JSON.parse(before)).toMatchObject({ allowed_origins: '*' });
    expect(await ask(exported.url)).toEqual([200, '*']);
    for (const [allowed_origins, expected] of [
      [[], [403, null]],
      [['https://pages.example'], [200, 'https://pages.example']],
    ]) {
      await writeFile(file, JSON.stringify({ ...JSON.parse(before), allowed_origins }));
      const other = await startExported();
      expect(await ask(other.url)).toEqual(expected);
      await other.stop();
    }
    await writeFile(file, before);
  });

  it('IF-19: /chat embeds the question and finds by both legs, as /search does', async () => {
    const question = 'whom do I call about noise near the harbor at night';
    endpoint.requests.length = 0;
    const chat = await post(`${exported.url}/chat`, { question, stream: false });
    expect(endpoint.requests.map(({ body }) => body.input)).toEqual([[question]]);
    const { json } = await post(`${exported.url}/search`, { query: question });
    const { sources } = chat.json as unknown as { readonly sources: Found['results'] };
    expect(json.mode).toBe('hybrid');
    expect(sources.map(({ chunk_id, score }) => [chunk_id, score])).toEqual(
      json.results.map(({ chunk_id, score }) => [chunk_id, score]),
    );
    expect(sources.length).toBeGreaterThan(0);
  });

  it('speaks MCP, and writes nothing', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${exported.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'fetch', 'get_chunk', 'list_sources', 'stats']);
    const found = await client.callTool({ name: 'search', arguments: { query: 'KX-1171' } });
    expect(JSON.stringify(found.content)).toContain('lamp.md');
    await client.close();
    expect((await post(`${exported.url}/api/collections`, { name: 'x' })).status).toBe(404);
  });

  it('passes its smoke test', { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, ['smoke-test.js'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: sandbox.dir, ...env },
    });
    const said: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const [code] = await once(child, 'close');
    expect([code, said.join('')]).toEqual([0, 'ok: 100 chunks of house\n']);
  });

  it('has its files, no key, and no path of the machine that wrote it', async () => {
    const top = await readdir(folder);
    const expected = ['Dockerfile', 'README.md', 'collection.json', 'index', 'node_modules', 'package.json', 'server'];
    expect(top).toEqual(expect.arrayContaining([...expected, 'smoke-test.js']));
    const own = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
    );
    for (const { parentPath, name } of own) {
      const bytes = await readFile(join(parentPath, name), 'latin1');
      for (const secret of ['secret-place', 'sk-do-not-show', sandbox.dir, dirname(dirname(MAIN))]) {
        expect([name, secret, bytes.includes(secret)]).toEqual([name, secret, false]);
      }
    }
  });

  it('is not written over something else, nor for an unknown collection', async () => {
    const again = await sandbox.run(['docs', 'export', 'house', folder], env);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')]);
    const unknown = await sandbox.run(['docs', 'export', 'hause', join(sandbox.dir, 'x')], env);
    expect(unknown.stderr).toContain("Did you mean 'house'?");
  });
});
