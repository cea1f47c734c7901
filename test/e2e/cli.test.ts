import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN, Sandbox, SERVERS } from './cli-process.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const imported = async () => {
  const result = await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)]);
  expect(result.code).toBe(0);
};

describe('dowser', () => {
  it('shows help and version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await sandbox.run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect((await sandbox.run([])).stdout).toBe((await sandbox.run(['--help'])).stdout);
    const narrow = (await sandbox.run(['search', '--help'], { COLUMNS: '50' })).stdout;
    for (const line of narrow.split('Examples:')[0]!.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
  });

  it.each([
    [['serach', 'x'], 2, 'Did you mean search?'],
    [['search', 'x', '--limit', '51'], 2, 'dowser search --help'],
    [['search', 'x', '--preset', 'nope'], 2, 'hybrid'],
    [['search', 'x', '--preset', 'hybird'], 2, "Did you mean 'hybrid'?"],
    [['search', ''], 2, 'query'],
    [['model', 'burn'], 2, 'status, pull, path'],
    [['get', 'skill', '/nothing'], 1, '--data'],
    [['search', '--tag', ''], 2, 'dowser search --help'],
    [['explain', ' ', '/fetch'], 2, 'dowser explain --help'],
    [['import', '/nope'], 1, '`dowser add`'],
  ])('refuses %j with exit code %d, a code, a hint and no trace', async (args, code, hint) => {
    const result = await sandbox.run(args);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(/^error\[[A-Z_]+\]: .+\nhint: .+\n$/);
    expect(result.stderr).toContain(hint);
    const json = await sandbox.run([...args, '--json']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: /\[([A-Z_]+)\]/.exec(result.stderr)![1] } });
  });

  it('searches without a write, and a broken output ends it without a trace', async () => {
    await imported();
    const files = async () => {
      const names = (await readdir(sandbox.data)).sort();
      return Promise.all(names.map(async (name) => [name, (await stat(join(sandbox.data, name))).mtimeMs]));
    };
    const before = await files();
    expect((await sandbox.run(['search', 'web page'])).stdout).toContain('/page-reader');
    expect((await sandbox.run(['list'])).stdout).toContain('/page-reader');
    expect(await files()).toEqual(before);
    if (process.platform !== 'linux') return;
    const full = spawnSync('sh', ['-c', `${process.execPath} ${MAIN} search mail --data ${sandbox.data} > /dev/full`], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: sandbox.dir, EMBEDDINGS_PROVIDER: 'off' },
    });
    expect(full.status).toBe(1);
    expect(full.stderr).toContain('error[STORE_FULL]: Standard output cannot be written (ENOSPC).');
    expect(full.stderr).not.toMatch(/\n +at /);
  });

  it('recovers what a crash left, to read it', async () => {
    await imported();
    // A log of writes that only a writer can take over.
    const crashed = await sandbox.serve();
    await crashed.stop('SIGKILL');
    expect((await sandbox.run(['search', 'web page'])).stdout).toContain('/page-reader');
  });

  it('migrates no folder that a server uses, and says which one to stop', async () => {
    const { url } = await sandbox.serve();
    const to = 'postgres://nobody:x@127.0.0.1:9/none';
    const { code, stderr } = await sandbox.run(['migrate', '--from', sandbox.data, '--to', to]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The server at ${url} is using the data folder`)]);
    expect(stderr).toMatch(/hint: Stop the server first \(process \d+\)/);
    const doctor = await sandbox.run(['doctor']);
    expect(doctor.stdout).toContain(`${new URL(url).port} is in use by the server of this data folder`);
    const repair = await sandbox.run(['doctor', '--repair']);
    expect([repair.code, repair.stdout]).toEqual([1, expect.stringContaining(`The server at ${url} uses the data`)]);
    expect(repair.stdout).not.toContain('does not answer');
  });

  it('shows the trace when it is asked to', async () => {
    const { stderr } = await sandbox.run(['search', ''], { DOWSER_DEBUG: '1' });
    expect(stderr).toMatch(/^error\[.*\n +at /s);
  });

  it('names a wrong setting and where it came from', async () => {
    const { code, stderr } = await sandbox.run(['doctor'], { DOWSER_PORT: 'http' });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`'port' is "http", from the environment (DOWSER_PORT)`),
    ]);
  });

  it('does not complain when its reader has seen enough', async () => {
    await imported();
    const command = `"${process.execPath}" "${MAIN}" search page --json | head -c 1; echo " \${PIPESTATUS[0]}"`;
    const env = { ...process.env, DOWSER_DATA: sandbox.data, EMBEDDINGS_PROVIDER: 'off' };
    const { stdout, stderr } = spawnSync('bash', ['-c', command], { env, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['{ 0\n', '']);
  });

  it('stops quietly: 130 after Ctrl-C, 0 for a server that is told to end', async () => {
    const server = await sandbox.serve(['--log-level', 'silent']);
    expect([await server.stop('SIGINT'), server.output.stderr]).toEqual([130, '']);
    expect(await (await sandbox.serve()).stop('SIGTERM')).toBe(0);
  });
});

describe('dowser import', () => {
  it('adds, then updates, and reports what it could not use', async () => {
    const good = await sandbox.file('good.jsonl', SERVERS);
    expect((await sandbox.run(['import', good])).stdout).toMatch(/^3 added, 0 updated, 0 rejected in /);
    const mixed = await sandbox.file('mixed.jsonl', [SERVERS[0], '{"half', { type: 'gadget', path: 'x' }, SERVERS[0]]);
    const result = await sandbox.run(['import', mixed]);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^0 added, 1 updated, 2 rejected in .*\n1 line repeated an entity/);
    expect(result.stderr).toContain('2 lines rejected (1 MALFORMED_JSON, 1 UNKNOWN_TYPE)');
    expect(result.stderr).toContain('mixed.jsonl:2:7  MALFORMED_JSON');
    expect((await sandbox.run(['import', mixed, '--strict'])).code).toBe(1);
    const summary = JSON.parse((await sandbox.run(['import', mixed, '--json'])).stdout);
    expect(summary).toMatchObject({ added: 0, updated: 1, duplicates: 1, rejected: 2, by_reason: { UNKNOWN_TYPE: 1 } });
  });

  it('says what it ignored of the lines it took', async () => {
    const odd = await sandbox.file('odd.jsonl', [{ ...SERVERS[0], color: 'red' }]);
    const { code, stderr } = await sandbox.run(['import', odd]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: 1 field ignored\n {2}odd\.jsonl:1 {2}.*color/m),
    ]);
    const summary = JSON.parse((await sandbox.run(['import', odd, '--json'])).stdout);
    expect(summary).toMatchObject({ updated: 1, warnings: 1, first_warnings: [{ file: 'odd.jsonl', line: 1 }] });
  });

  it('fails when nothing could be imported, and when there is no file', async () => {
    const bad = await sandbox.run(['import', await sandbox.file('bad.jsonl', ['oops'])]);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringMatching(/\nhint: Each line must be one entity/)]);
    const empty = await sandbox.run(['import', await sandbox.file('empty.jsonl', ['', ''])]);
    expect([empty.code, empty.stderr]).toEqual([0, expect.stringContaining('warning: There is nothing to import')]);
    const { code, stderr } = await sandbox.run(['import', 'nowhere.jsonl']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('error[NOT_FOUND]')]);
  });

  it('goes through the server that has the folder', async () => {
    const server = await sandbox.serve();
    const { code, stdout } = await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 added')]);
    expect((await sandbox.run(['search', 'suitcase'])).stdout).toContain('/skills/packing');
    await server.stop('SIGTERM');
    expect((await sandbox.run(['search', 'suitcase'])).stdout).toContain('/skills/packing');
  });
});

describe('dowser search and explain', () => {
  beforeEach(imported);

  it('prints a table without color into a pipe, filtered as asked', async () => {
    const { code, stdout } = await sandbox.run(['search', 'read', 'page', '--type', 'mcp_server', '--tag', 'WEB']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 result \(mode lexical-only, preset \w+\)\n/);
    expect(stdout).toMatch(/^1 {2}▰+▱* +\d+% {2}mcp_server {2}Page Reader {2}\/page-reader/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('says how many have a tag, however few are shown, and not how many are near to words', async () => {
    const clocks = Array.from({ length: 7 }, (_, i) => {
      return {
        type: 'mcp_server',
        path: `/clock-${i}`,
        name: `Clock ${i}`,
        description: 'Tells the time',
        tags: ['time'],
      };
    });
    await sandbox.run(['import', await sandbox.file('clocks.jsonl', clocks)]);
    const headOf = async (...args: string[]) => (await sandbox.run(['search', ...args])).stdout.split(' (')[0];
    expect(await headOf('--tag', 'time', '--limit', '1')).toBe('1 of 7 results');
    expect(await headOf('--tag', 'time', '--limit', '5', '--offset', '5')).toBe('2 of 7 results after the first 5');
    expect(await headOf('clock', '--limit', '1')).toBe('1 result');
  });

  it('explains one entity with numbers that add up', async () => {
    const { code, stdout } = await sandbox.run(['explain', 'read a page', 'mcp_server:page-reader', '--json']);
    expect(code).toBe(0);
    const { rank, result, warnings } = JSON.parse(stdout);
    expect([rank, result.path]).toEqual([1, '/page-reader']);
    expect(warnings).toEqual([expect.stringContaining('No embedding model is configured')]);
    const check = ({ value, parts = [] }: { value: number; parts?: { value: number }[] }): void => {
      if (parts.length > 0) expect(parts.reduce((sum, part) => sum + part.value, 0)).toBeCloseTo(value, 9);
      for (const part of parts) check(part);
    };
    check(result.explanation);
    expect((await sandbox.run(['explain', 'read a page', '/page-reader'])).stdout).toMatch(
      /^Page Reader .*\nrank 1.*\nwarning: No embedding model is configured/,
    );
  });
});

describe('dowser eval', () => {
  it('says which labels name no document, and refuses a set of which none does', async () => {
    await mkdir(join(sandbox.dir, 'small'));
    await sandbox.file('small/corpus.jsonl', SERVERS);
    await sandbox.file('small/queries.jsonl', [{ id: 1, text: 'page reader' }]);
    const measured = async (...paths: readonly string[]) => {
      await sandbox.file(
        'small/qrels.jsonl',
        paths.map((doc_id) => ({ query_id: 1, doc_id })),
      );
      return sandbox.run(['eval', 'small', '--preset', 'keyword']);
    };
    const some = await measured('/page-reader', '/page-writer');
    expect(some.stdout).toMatch(/^small {2}3 documents, 1 query\n/);
    expect([some.code, some.stderr]).toEqual([
      0,
      'warning: small: 1 of 2 labels without a document in the corpus, such as "/page-writer". They count as not found.\n',
    ]);
    // For the web page: the figures, and nothing of the queries. Those are in a file of their own.
    const kept = await readFile(join(sandbox.data, 'eval.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({
      sets: [{ set: 'small', documents: 3, results: [{ preset: 'keyword' }] }],
    });
    expect(kept).not.toContain('page');
    const runs = await readFile(join(sandbox.data, 'eval-runs.json'), 'utf8');
    expect(JSON.parse(runs)).toMatchObject({
      runs: [
        { sets: [{ questions: [{ id: '1', query: 'page reader' }], results: [{ scores: [expect.any(Number)] }] }] },
      ],
    });
    const listed = await sandbox.run(['eval', '--runs', '--json']);
    const { measured_at, sets } = JSON.parse(kept);
    expect([listed.code, JSON.parse(listed.stdout)]).toEqual([0, { runs: [{ measured_at, sets }] }]);
    expect((await sandbox.run(['eval', '--runs'])).stdout).toBe(`${measured_at}\n\n${some.stdout}`);
    expect(await sandbox.run(['eval', 'small', '--runs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--runs takes no folders, not "small".'),
    });
    expect(await sandbox.run(['eval'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no folder of labeled queries.'),
    });
    const none = await measured('page-reader');
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toMatch(
      /^error\[INVALID_FILE\]: The only label .* is "page-reader"\.\nhint: .*"\/page-reader"/,
    );
  });
});

describe('dowser serve --example', () => {
  it('fills an empty registry, once', async () => {
    const server = await sandbox.serve(['--example']);
    const health = async () =>
      (await fetch(`${server.url}/api/health`)).json() as Promise<{ index: { entities: number } }>;
    const { index } = await health();
    expect(index.entities).toBeGreaterThan(50);
    await server.stop('SIGTERM');
    const again = await sandbox.serve(['--example']);
    expect(again.output.stderr).not.toContain('example catalog loaded');
    await again.stop('SIGTERM');
  });

  it('leaves a registry that is in use alone', async () => {
    await imported();
    const server = await sandbox.serve(['--example']);
    const response = await fetch(`${server.url}/api/health`);
    expect(((await response.json()) as { index: { entities: number } }).index.entities).toBe(SERVERS.length);
  });
});

describe('dowser doctor', () => {
  it('is content with a registry that works', async () => {
    await imported();
    const { code, stdout } = await sandbox.run(['doctor', '--json'], { DOWSER_PORT: '0' });
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { name: string; status: string }[] };
    expect([code, ok]).toEqual([0, true]);
    expect(checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'node ok',
      'data folder ok',
      'database ok',
      'index ok',
      'vectors ok',
      'embedder ok',
      'port ok',
    ]);
  });

  it('fails on a database it cannot read, like every other command, and leaves the file as it is', async () => {
    await mkdir(sandbox.data, { recursive: true });
    const file = join(sandbox.data, 'dowser.sqlite');
    const junk = 'This is no database. '.repeat(1000);
    await writeFile(file, junk);
    const doctor = await sandbox.run(['doctor']);
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(/^fail {2}database .*STORE_CORRUPT.*\n +hint: /m),
    ]);
    for (const args of [
      ['serve', '--port', '0'],
      ['search', 'x'],
    ]) {
      const { code, stderr } = await sandbox.run(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error\[STORE_CORRUPT\]: .*\nhint: .+\n$/);
    }
    expect(await readFile(file, 'utf8')).toBe(junk);
  });

  it('warns of a model that is not there, and of vectors that are missing', async () => {
    await imported();
    const { code, stdout } = await sandbox.run(['doctor'], { EMBEDDINGS_PROVIDER: 'local' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warn {2}model .*\n +hint: .*dowser model pull/m);
    expect(stdout).toMatch(/^warn {2}vectors .* missing/m);
  });
});

/** A model that does not come with Dowser. */
const BASE = 'all-MiniLM-L6-v2';
const WITH_BASE = { EMBEDDINGS_MODEL_NAME: BASE };

describe('dowser model', () => {
  it('lists the default model, which comes with Dowser, as ready, and others with where they belong', async () => {
    const { code, stdout } = await sandbox.run(['model', '--json']);
    const { models } = JSON.parse(stdout) as {
      models: { name: string; chosen: boolean; state: string; dir: string }[];
    };
    expect(code).toBe(0);
    expect(models.filter(({ chosen }) => chosen)).toMatchObject([{ name: 'dowser-tools-1', state: 'ready' }]);
    expect(models.find(({ name }) => name === BASE)).toMatchObject({ chosen: false, state: 'missing' });
    const { stdout: path } = await sandbox.run(['model', 'path'], { EMBEDDINGS_PROVIDER: 'local', ...WITH_BASE });
    expect(path).toBe(`${join(sandbox.dir, 'models', BASE)}\n`);
  });

  it('has the same word for the state of a model as doctor', async () => {
    const words = async () => {
      const local = { EMBEDDINGS_PROVIDER: 'local', ...WITH_BASE };
      const { stdout } = await sandbox.run(['model'], local);
      const doctor = await sandbox.run(['doctor'], local);
      return [/^\* \S+ +(\w+)/m.exec(stdout)?.[1], /^\w+ +model +\S+ is (\w+)/m.exec(doctor.stdout)?.[1]];
    };
    expect(await words()).toEqual(['missing', 'missing']);
    const weights = join(sandbox.dir, 'models', BASE, 'onnx', 'model_quantized.onnx');
    await mkdir(dirname(weights), { recursive: true });
    await writeFile(weights, 'half');
    expect(await words()).toEqual(['damaged', 'damaged']);
  });
});
