import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegistry } from '../../src/open.ts';
import type { Health } from '../../src/registry/contract/registry.ts';
import { Sandbox, SERVERS } from './cli-process.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const imported = async () => {
  const { code } = await sandbox.run(['import', await sandbox.file('servers.jsonl', SERVERS)]);
  expect(code).toBe(0);
};

describe('commands that read', () => {
  beforeEach(imported);

  it('work at once on one folder, also while another command has it for writing', async () => {
    const searches = Array.from({ length: 4 }, () => sandbox.run(['search', 'read a page', '--json']));
    const listed = sandbox.run(['list', '--json']);
    for (const { code, stdout, stderr } of await Promise.all([...searches, listed])) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('/page-reader');
    }
    const registry = await openRegistry({ data_dir: sandbox.data }, { background: false });
    try {
      const { code, stdout } = await sandbox.run(['get', 'mcp_server', 'page-reader']);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Page Reader')]);
      const { stderr } = await sandbox.run(['delete', 'mcp_server', 'page-reader']);
      expect(stderr).toContain('STORE_LOCKED');
    } finally {
      await registry.close();
    }
  });
});

describe('dowser get and delete', () => {
  beforeEach(imported);

  it('show one entity, for people and for programs', async () => {
    const { code, stdout } = await sandbox.run(['get', 'mcp_server', 'page-reader']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Page Reader mcp_server:\/page-reader\nReads a web page/),
    ]);
    expect(stdout).toContain('    read_page  Read one page by its address\n');
    const { entity } = JSON.parse((await sandbox.run(['get', 'skill', 'packing', '--json'])).stdout);
    expect(entity).toMatchObject({ type: 'skill', path: '/skills/packing', name: 'packing' });
  });

  it('show a tool of a server under the path that a search gives it, and leave it to its server', async () => {
    const { results } = JSON.parse((await sandbox.run(['search', 'read a page', '--type', 'tool', '--json'])).stdout);
    expect(results[0].path).toBe('/page-reader#read_page');
    const { code, stdout } = await sandbox.run(['get', 'tool', results[0].path]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^read_page tool:\/page-reader#read_page\nRead one page/),
    ]);
    const { code: refused, stderr } = await sandbox.run(['delete', 'tool', results[0].path]);
    expect([refused, stderr]).toEqual([2, expect.stringMatching(/is part of the mcp_server .*\nhint: Change the mcp/)]);
  });

  it('delete what they say they deleted, alone and through a server', async () => {
    const deleted = await sandbox.run(['delete', 'skill', 'packing']);
    expect(deleted).toEqual({ code: 0, stdout: 'Deleted skill:/skills/packing (packing)\n', stderr: '' });
    const server = await sandbox.serve();
    const { stdout } = await sandbox.run(['delete', 'mcp_server', '/postbox', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      deleted: { entity_type: 'mcp_server', path: '/postbox', name: 'Postbox' },
    });
    expect((await sandbox.run(['get', 'mcp_server', '/postbox'])).code).toBe(1);
    await server.stop('SIGTERM');
    expect((await sandbox.run(['search', 'mail', '--json'])).stdout).not.toContain('/postbox');
  });

  it('refuse what is not there and what is no type', async () => {
    for (const [args, code, error] of [
      [['get', 'skill', '/none'], 1, 'NOT_FOUND'],
      [['delete', 'skill', '/none'], 1, 'NOT_FOUND'],
      [['get', 'gadget', '/none'], 2, 'UNKNOWN_TYPE'],
    ] as const) {
      const result = await sandbox.run(args);
      const line = `^error\\[${error}\\]: .+\nhint: .+\n$`;
      expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(line)]);
    }
  });
});

describe('dowser search', () => {
  beforeEach(imported);

  it('needs no words where there is a tag', async () => {
    const { code, stdout } = await sandbox.run(['search', '--tag', 'mail', '--facets', 'entity_type,tags']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 result .*\n1 .* Postbox {2}\/postbox/)]);
    expect(stdout).toMatch(/\nentity_type {2}mcp_server 1\ntags {9}mail 1\n$/);
  });

  it('pages, and counts on', async () => {
    const all = JSON.parse((await sandbox.run(['search', 'a', 'page', 'mail', '--json', '--offset', '0'])).stdout);
    expect(all.results.length).toBe(2);
    const { stdout } = await sandbox.run(['search', 'a', 'page', 'mail', '--offset', '1', '--limit', '1']);
    expect(stdout).toMatch(/^1 result after the first 1 \(.*\)\n2 /);
    expect(stdout).toContain(all.results[1].path);
  });

  it('shows what is nearest where nothing is sure enough', async () => {
    const { code, stdout } = await sandbox.run(['search', 'page', '--min-confidence', '1']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^0 results .*\nNothing has a confidence of 100%\. The nearest, .*\n1 .*\/page-reader/);
    expect((await sandbox.run(['search', 'page', '--min-confidence', '0'])).stdout).toMatch(
      /\n1 {2}[▰▱]+ +\d+% {2}mcp_server/,
    );
  });

  it('speaks of flags and never of routes, also when a server refuses', async () => {
    const asked = async () => (await sandbox.run(['search', 'x', '--limit', '51'])).stderr;
    const alone = await asked();
    const server = await sandbox.serve();
    expect(await asked()).toBe(alone);
    expect(alone).toBe(
      'error[INVALID_REQUEST]: --limit is 51: must be from 1 to 50.\nhint: Run `dowser search --help` to see its options.\n',
    );
    await server.stop('SIGTERM');
  });
});

describe('dowser explain', () => {
  it('tells what is not registered from what is too far down', async () => {
    await imported();
    const reasonOf = async (entity: string) => (await sandbox.run(['explain', 'suitcase', entity])).stderr;
    expect(await reasonOf('/page-reader')).toContain(
      "'/page-reader' is not among the first 50 results for 'suitcase'.",
    );
    expect(await reasonOf('/page-writer')).toContain("Nothing is registered at '/page-writer'.");
    expect(await reasonOf('tool:/page-reader#raed_page')).toContain(
      'The mcp_server "/page-reader" has no tool "raed_page".\nhint: Did you mean "/page-reader#read_page"?',
    );
  });
});

describe('dowser drift', () => {
  it('tells what is not registered from what has not changed', async () => {
    await imported();
    const reasonOf = async (entity: string) => (await sandbox.run(['drift', entity])).stderr;
    expect(await reasonOf('/page-writer')).toContain("Nothing is registered at '/page-writer'.");
    expect(await reasonOf('mcp_server:/page-reader')).toContain("'mcp_server:/page-reader' has no changes.");
  });
});

describe('a data folder', () => {
  it.each([
    [['search', 'x'], 0],
    [['explain', 'x', '/y'], 1],
    [['get', 'skill', '/y'], 1],
    [['drift'], 0],
    [['reindex', '--missing'], 1],
    [['doctor'], 0],
  ])('is named and not made by mere %j', async (args, code) => {
    const result = await sandbox.run([...args, '--data', 'mistyped'], { DOWSER_PORT: '0' });
    expect(result.code).toBe(code);
    expect(result.stderr + result.stdout).toContain(join(sandbox.dir, 'mistyped'));
    await expect(access(join(sandbox.dir, 'mistyped'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([['search', 'x'], ['import', 'servers.jsonl'], ['serve', '--port', '0'], ['mcp'], ['reindex', '--all']])(
    'that is a file is refused by %s, and the file left alone',
    async (...args) => {
      await sandbox.file('servers.jsonl', SERVERS);
      const file = join(sandbox.dir, 'notes.txt');
      await writeFile(file, 'mine');
      const { code, stderr } = await sandbox.run([...args, '--data', file]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`The data folder ${file} is a file, not a folder.`)]);
      expect(await readFile(file, 'utf8')).toBe('mine');
    },
  );
});

describe('dowser import', () => {
  it('refuses a file that is not UTF-8, with the line, and stores nothing', async () => {
    const file = await sandbox.file('latin.jsonl', []);
    await writeFile(file, `${JSON.stringify(SERVERS[0])}\n{"type": "skill", "path": "/c", "name": "café"}`, 'latin1');
    const { code, stderr } = await sandbox.run(['import', file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error\[INVALID_FILE\]: Line 2 of .*\nhint: .*iconv/)]);
    expect((await sandbox.run(['search', 'page'])).stdout).toContain('0 results');
  });

  it('points into the line that is not JSON', async () => {
    const { stderr } = await sandbox.run(['import', await sandbox.file('bad.jsonl', ['', '{"type": skill}'])]);
    expect(stderr).toContain("  bad.jsonl:2:10  MALFORMED_JSON  Not JSON: unexpected 's'.\n");
  });
});

describe('a data folder that another process has, and no server', () => {
  it('is said to be free when that process ends, by whom it is asked for', async () => {
    await imported();
    const registry = await openRegistry({ data_dir: sandbox.data, embeddings_provider: 'off' });
    try {
      for (const args of [['import', 'servers.jsonl'], ['serve', '--port', '0'], ['doctor']]) {
        const { code, stdout, stderr } = await sandbox.run(args);
        expect([args, code]).toEqual([args, 1]);
        expect(stdout + stderr).toContain(`Process ${process.pid} is using the data folder ${sandbox.data}`);
        expect(stdout + stderr).toContain(`so process ${process.pid} is another command`);
      }
    } finally {
      await registry.close();
    }
    expect((await sandbox.run(['search', 'x'])).code).toBe(0);
  });
});

describe('dowser serve', () => {
  it('says how to connect an agent, also on a second run and to whoever comes second', async () => {
    for (const run of ['first', 'second']) {
      const server = await sandbox.serve(['--example']);
      await expect.poll(() => server.output.stdout).toContain('Try, in another terminal');
      expect([run, server.output.stdout]).toEqual([
        run,
        expect.stringContaining(`claude mcp add --transport http dowser ${server.url}/mcp\n`),
      ]);
      const { code, stderr } = await sandbox.run(['serve', '--port', '0']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`MCP clients at ${server.url}/mcp`)]);
      await server.stop('SIGTERM');
    }
  });

  it('says from its first moment that the runtime of its model cannot be had, and why', async () => {
    const offline = {
      EMBEDDINGS_PROVIDER: 'local',
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_cache: `${sandbox.dir}/npm`,
    };
    const server = await sandbox.serve([], offline);
    const { status, embedder } = (await (await fetch(`${server.url}/api/health`)).json()) as Health;
    expect([status, embedder]).toEqual([
      'degraded',
      {
        id: 'local/dowser-tools-1/384',
        state: 'down',
        error: expect.stringContaining('could not be fetched'),
        retry_at: expect.any(String),
      },
    ]);
    await expect.poll(() => server.output.stdout).toContain('is down: searches are by keyword');
    expect(server.output.stderr).toContain('warning: The model runtime onnxruntime-');
    await server.stop('SIGTERM');
  });
});
