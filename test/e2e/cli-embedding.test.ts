import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox, SERVERS } from './cli-process.ts';

const DIMENSIONS = 8;

/** Texts that share words get vectors that are near each other: all that a test of the way there needs. */
function toVector(text: string): readonly number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0.01);
  for (const word of text.toLowerCase().split(/\W+/)) vector[word.length % DIMENSIONS]! += 1;
  return vector;
}

let sandbox: Sandbox;
let endpoint: Server;
let embedded: string[];
let env: NodeJS.ProcessEnv;
/** Called for each request before it is answered. */
let onRequest: () => void | Promise<void>;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  embedded = [];
  onRequest = () => {};
  endpoint = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const input = [(JSON.parse(body) as { input: string | string[] }).input].flat();
    await onRequest();
    embedded.push(...input);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ data: input.map((text, index) => ({ index, embedding: toVector(text) })) }));
  });
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  env = {
    EMBEDDINGS_PROVIDER: 'openai',
    EMBEDDINGS_API_BASE: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`,
    EMBEDDINGS_API_KEY: 'sk-do-not-show',
    EMBEDDINGS_MODEL_NAME: 'test-model',
    EMBEDDINGS_DIMENSIONS: String(DIMENSIONS),
  };
});
afterEach(async () => {
  endpoint.close();
  endpoint.closeAllConnections();
  await sandbox.close();
});

describe('the command line with an embedding endpoint', () => {
  it('embeds at the end of an import, never the same text twice, and searches by meaning', async () => {
    const file = await sandbox.file('servers.jsonl', SERVERS);
    const lexical = await sandbox.run(['import', file, '--lexical'], env);
    expect([lexical.code, embedded]).toEqual([0, []]);
    const first = await sandbox.run(['import', file], env);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('5 vectors computed')]);
    expect(embedded).toHaveLength(5);
    expect((await sandbox.run(['import', file, '--strict'], env)).stdout).toContain('0 vectors computed');
    expect(embedded).toHaveLength(5);
    expect((await sandbox.run(['search', 'read a page'], env)).stdout).toContain('mode hybrid');
    const doctor = await sandbox.run(['doctor'], { ...env, DOWSER_PORT: '0' });
    expect(doctor.stdout).toMatch(/^ok {4}embedder {5}.*test-model\/8 answers in \d+ ms/m);
  });

  it('computes vectors anew when it is asked to, and only then', async () => {
    await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)], env);
    const counts = async (...args: readonly string[]) => {
      embedded.length = 0;
      const { code, stdout } = await sandbox.run(['reindex', ...args, '--json'], env);
      const { entities, vectors, remaining, not_found } = JSON.parse(stdout);
      return { code, entities, vectors, remaining, not_found, asked: embedded.length };
    };
    const nothing = { remaining: 0, not_found: [] };
    expect(await counts('--missing')).toEqual({ code: 0, entities: null, vectors: 0, ...nothing, asked: 0 });
    expect(await counts('--all')).toEqual({ code: 0, entities: 3, vectors: 5, ...nothing, asked: 5 });
    expect(await counts('postbox')).toEqual({ code: 0, entities: 1, vectors: 2, ...nothing, asked: 2 });
    const gone = { code: 1, entities: 0, vectors: 0, remaining: 0, not_found: ['/gone'], asked: 0 };
    expect(await counts('/gone')).toEqual(gone);
    expect(await sandbox.run(['reindex', '/gone'], env)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'warning: Nothing is registered at /gone.\nhint: Find a path with `dowser search`; it is case-sensitive.\n',
    });
    const some = await sandbox.run(['reindex', '/postbox', '/postbox#send'], env);
    expect([some.stdout, some.stderr]).toEqual([
      expect.stringContaining('2 vectors computed of 1 entity'),
      expect.stringContaining('For a tool of a server, name the server.'),
    ]);
    for (const args of [[], ['--all', '--missing'], ['/postbox', '--all']]) {
      const { code, stderr } = await sandbox.run(['reindex', ...args], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining('exactly one of paths, --all and --missing')]);
    }
  });

  it('asks a server that has the data folder to do it', async () => {
    await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)], env);
    const server = await sandbox.serve([], env);
    embedded.length = 0;
    const all = await sandbox.run(['reindex', '--all'], env);
    expect([all.code, all.stdout]).toEqual([0, expect.stringContaining('5 vectors computed of 3 entities')]);
    expect(embedded).toHaveLength(5);
    const one = await sandbox.run(['reindex', '/postbox'], env);
    expect([one.code, one.stdout]).toEqual([0, expect.stringContaining('2 vectors computed of 1 entity')]);
    await server.stop('SIGTERM');
  });

  it('goes on with the old model until the vectors of a new one are there', async () => {
    await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)], env);
    const changed = { ...env, EMBEDDINGS_MODEL_NAME: 'other-model', DOWSER_PORT: '0' };
    expect((await sandbox.run(['search', 'read a page'], changed)).stdout).toContain('mode hybrid');
    const half = await sandbox.run(['doctor'], changed);
    expect(half.stdout).toMatch(/^warn {2}new model .*test-model\/8 answers while .*other-model\/8 is built: 0 of 5/m);
    expect((await sandbox.run(['reindex', '--missing'], changed)).stdout).toContain('5 vectors computed');
    expect((await sandbox.run(['search', 'read a page'], changed)).stdout).toContain('mode hybrid');
    const done = await sandbox.run(['doctor'], changed);
    expect(done.stdout).not.toMatch(/new model|stale/);
  });

  it('says what is missing when the endpoint is gone, and goes on by keyword', async () => {
    await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)], env);
    endpoint.close();
    endpoint.closeAllConnections();
    const search = await sandbox.run(['search', 'read a page'], env);
    expect([search.code, search.stdout]).toEqual([0, expect.stringContaining('mode lexical-only')]);
    expect(search.stderr).toContain('warning: The embedding model is not available');
    const late = await sandbox.file('late.jsonl', [{ type: 'skill', path: 'late', name: 'late' }]);
    const loaded = await sandbox.run(['import', late], env);
    expect([loaded.code, loaded.stdout]).toEqual([0, expect.stringContaining('1 added')]);
    expect(loaded.stderr).toContain('1 text without a vector yet');
    expect((await sandbox.run(['import', late, '--strict'], env)).code).toBe(1);
    const doctor = await sandbox.run(['doctor'], env);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(/^fail {2}embedder /m)]);
    for (const { stdout, stderr } of [search, loaded, doctor]) expect(stdout + stderr).not.toContain('sk-do-not-show');
  });

  it('measures, and puts its store away when it is told to stop', async () => {
    await mkdir(join(sandbox.dir, 'small'));
    await sandbox.file('small/corpus.jsonl', SERVERS);
    await sandbox.file('small/queries.jsonl', [{ id: 1, text: 'page reader' }]);
    await sandbox.file('small/qrels.jsonl', [{ query_id: 1, doc_id: '/page-reader' }]);
    const stores = async () => (await readdir(sandbox.dir)).filter((name) => name.startsWith('dowser-eval-'));
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const asked = new Promise<void>((resolve) => {
        onRequest = () => {
          resolve();
          return new Promise(() => {});
        };
      });
      const running = sandbox.start(['eval', 'small'], env);
      await asked;
      expect(await stores()).toHaveLength(1);
      expect([await running.stop(signal), running.output]).toEqual([code, { stdout: '', stderr: '' }]);
      expect(await stores()).toEqual([]);
    }
    onRequest = () => {};
    const { code, stdout } = await sandbox.run(['eval', 'small', '--preset', 'hybrid', '--json'], env);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { sets: [{ documents: 3, results: [{ 'hit@1': 1 }] }] }]);
    expect(await stores()).toEqual([]);
  });
});
