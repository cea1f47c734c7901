// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quick, read } from '../../../test/support/read-mcp.ts';
import { DEFAULT_LIMITS, type SourceItem } from '../source.ts';
import { type McpServerSpec, mcpServerSource } from './mcp-source.ts';

const FIXTURE = fileURLToPath(new URL('../../../test/support/mcp-fixture.mjs', import.meta.url));
const MODERN = fileURLToPath(new URL('../../../test/support/mcp-modern-fixture.mjs', import.meta.url));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-mcp-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function definition(value: unknown): Promise<string> {
  const file = join(dir, 'definition.json');
  await writeFile(file, JSON.stringify(value));
  return file;
}

const fixture = async (value: unknown): Promise<McpServerSpec> => ({
  command: process.execPath,
  args: [FIXTURE, await definition(value)],
});

/** An ended process stays in the table until its parent asks for it, and some parents take their time. */
const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a program', () => {
  it('reads every page of tools, and what else the server says of itself', async () => {
    const whole = {
      name: 'high_water',
      title: 'High water',
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
      execution: { taskSupport: 'forbidden' },
      icons: [{ src: 'https://tides.example/high.png', sizes: ['48x48'] }],
      _meta: { 'tides.example/team': 'harbours' },
    };
    const spec = await fixture({
      mode: 'greet',
      name: 'acme/tide-tables',
      title: 'Tide Tables',
      instructions: 'Ask for a harbour first.',
      tools: [
        [{ name: 'list_harbours', description: 'List harbours', inputSchema: { type: 'object' } }],
        [{ name: '' }, whole],
      ],
      prompts: [{ name: 'plan_trip', description: 'Plan a trip by boat' }],
      resources: [{ uri: 'tide://brest', name: 'Brest', description: 'Tides of Brest' }],
    });
    const { entity, warnings } = await read(spec);
    expect(entity).toMatchObject({
      type: 'mcp_server',
      path: '/acme/tide-tables',
      name: 'Tide Tables',
      description: 'Ask for a harbour first.',
      version: '1.2.3',
      deployment: 'local',
      supported_transports: ['stdio'],
      metadata: { prompts: ['plan_trip: Plan a trip by boat'], resources: ['Brest: Tides of Brest'] },
    });
    expect(entity.tools).toEqual([
      { name: 'list_harbours', description: 'List harbours', inputSchema: { type: 'object' } },
      whole,
    ]);
    expect(warnings).toEqual(['Tool 1 of the server has no name and was dropped.']);
  });

  it('keeps the tools if another list hangs', async () => {
    const spec = await fixture({ tools: [[{ name: 'now' }]], silent: 'prompts/list' });
    const { entity, warnings } = await read(spec, { limits: { ...DEFAULT_LIMITS, listMs: 2000 } });
    expect(entity.tools).toEqual([{ name: 'now' }]);
    expect(warnings).toContain("'prompts/list' failed: it took too long.");
  });

  it('says that a list was cut, and drops a schema that is too large', async () => {
    const tools = Array.from({ length: 6 }, (_, page) =>
      Array.from({ length: 1000 }, (_, n) => ({ name: `t${page}_${n}`, inputSchema: { type: 'object' } })),
    );
    const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}`, {}]));
    tools[0]![0] = { name: 'huge', inputSchema: { type: 'object', properties } as never };
    const prompts = Array.from({ length: 150 }, (_, n) => ({ name: `p${n}` }));
    const { entity, warnings } = await read(await fixture({ mode: 'greet', name: 'many', tools, prompts }));
    expect([(entity.tools as unknown[]).length, (entity.tools as object[])[0]]).toEqual([5000, { name: 'huge' }]);
    expect(warnings).toEqual([
      "The list 'tools/list' has more than 5000 items: only the first 5000 were read.",
      "The list 'prompts/list' has more than 100 items: only the first 100 were read.",
      "The 'inputSchema' of tool 'huge' is too large and was dropped.",
    ]);
  });

  it('reads 200 pages of a list, and says that there are more', async () => {
    const tools = Array.from({ length: 201 }, (_, page) => [{ name: `t${page}`, inputSchema: { type: 'object' } }]);
    const { entity, warnings } = await read(await fixture({ mode: 'greet', name: 'pages', tools }));
    expect(entity.tools).toHaveLength(200);
    expect(warnings).toEqual([expect.stringMatching(/'tools\/list' has more than 200 pages/)]);
  });

  it('withholds what was filled in from what a failing server writes', async () => {
    const script = 'console.error("no access with", process.argv[1]); process.exit(3)';
    const spec = { command: process.execPath, args: ['-e', script, '${PASSPHRASE}'] };
    await expect(read(spec, { env: { PASSPHRASE: 'open sesame' } })).rejects.toMatchObject({
      message: expect.stringContaining('no access with [redacted]'),
    });
  });

  it('reads a server that knows the newest revision only', async () => {
    const { entity } = await read({ command: process.execPath, args: [MODERN] });
    expect(entity).toMatchObject({ name: 'modern-fixture', metadata: { protocol_version: '2026-07-28' } });
    expect(entity.tools).toMatchObject([{ name: 'fold_paper' }]);
  });

  it('gives up on a server that does not answer, and leaves no process of it behind', async () => {
    const pids = join(dir, 'pids.json');
    const spec = await fixture({ mode: 'stubborn', pids });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, connectMs: 1500 } })).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: 'The server did not start within 1.5 s.',
    });
    const [own, child] = JSON.parse(await readFile(pids, 'utf8')) as [number, number];
    await expect.poll(() => [isRunning(own), isRunning(child)]).toEqual([false, false]);
  });

  it.each(['fetch', ...(process.platform === 'linux' ? ['unpack'] : [])])(
    'waits for a program as long as it makes progress: %s',
    async (mode) => {
      const notices: string[] = [];
      const { entity } = await read(await fixture({ mode, parts: join(dir, 'parts'), part_count: 9 }), {
        limits: { ...DEFAULT_LIMITS, connectMs: 1000 },
        onNotice: (title, notice) => notices.push(`${title}: ${notice}`),
      });
      expect(entity).toMatchObject({ name: 'fixture' });
      const notice =
        mode === 'fetch'
          ? 'The package is being fetched. The first start can take minutes.'
          : 'Waiting for the server to start.';
      expect(notices).toEqual([`The server: ${notice}`]);
    },
  );

  it('gives up on a program that never gets ready, and a second try goes on where the first one ended', async () => {
    const parts = join(dir, 'parts');
    const spec = await fixture({ mode: 'fetch', parts, part_count: 12 });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, startMs: 2500 } })).rejects.toMatchObject({
      message: 'The server was still fetching its package after 2.5 s.',
      hint: expect.stringContaining('Run the same command again'),
    });
    const before = (await readFile(parts, 'utf8')).split('\n').length - 1;
    expect(before).toBeGreaterThan(0);
    await read(spec);
    expect(await readFile(parts, 'utf8')).toBe(Array.from({ length: 12 }, (_, part) => `part ${part}\n`).join(''));
  });

  it('says that a program prints text in place of messages', async () => {
    const spec = await fixture({ mode: 'help' });
    await expect(read(spec, { limits: { ...DEFAULT_LIMITS, connectMs: 1000 } })).rejects.toMatchObject({
      message:
        'The server did not start within 1 s. It printed text that is not JSON-RPC on stdout: Usage: fixture <folder> Serving on port 3000',
      hint: expect.stringContaining('only JSON-RPC on stdout'),
    });
    const print = (code: string) => read({ command: process.execPath, args: ['-e', code] });
    await expect(print("process.stdout.write('no newline'); process.exitCode = 2")).rejects.toThrow(
      'The server exited with code 2. It printed text that is not JSON-RPC on stdout: no newline',
    );
    await expect(print('console.log(\'{"level": "info"}\')')).rejects.toThrow('JSON-RPC on stdout: {"level": "info"}');
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const reading = read(await fixture({ mode: 'hang' }), { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(reading).rejects.toThrow('enough');
  });

  it('says how a server ended and what it wrote, but not the secrets it was given', async () => {
    const spec = { ...(await fixture({ mode: 'crash' })), env: { FIXTURE_KEY: 'hush-hush-77' } };
    await expect(read(spec)).rejects.toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: 'The server exited with code 3. It wrote: cannot start: no license for [redacted]',
    });
  });

  it.each([
    ['a program that is not there', { command: 'no-such-program-here' }, /program 'no-such-program-here' not found/],
    [
      'an address nobody answers at',
      { url: 'http://127.0.0.1:9/mcp' },
      /does not answer \((?:ECONNREFUSED|bad port)\)/,
    ],
    ['an address of another kind', { url: 'ftp://example.com/x' }, /not an http or https address/],
  ])('says so of %s', async (_, spec, message) => {
    await expect(read(spec)).rejects.toThrow(message);
  });

  it('needs the variables that it refers to', async () => {
    await expect(read({ command: process.execPath, env: { A: '${NOT_SET_ANYWHERE}' } })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      field: 'NOT_SET_ANYWHERE',
    });
  });
});

describe('mcpServerSource', () => {
  it.each(['tok-12345678', 'opensesame'])(
    'keeps nothing of %s in what is stored, and can be read again',
    async (token) => {
      const given = await fixture({
        name: 'echo',
        instructions: 'Signed in as',
        echo_env: 'API_TOKEN',
        tools: [[{ name: 'x' }]],
      });
      const source = mcpServerSource(
        { ...given, env: { API_TOKEN: token }, args: [...given.args!, '--password', 'pw-9876543'] },
        quick,
      );
      const items: SourceItem[] = [];
      for await (const item of source.read(new AbortController().signal)) items.push(item);
      const stored = JSON.stringify([source.locator, source.title, items]);
      for (const secret of [token, 'pw-9876543']) expect(stored).not.toContain(secret);
      expect(stored).toContain('Signed in as [redacted]');
      expect(source.locator).toMatchObject({ env: { API_TOKEN: '${API_TOKEN}' } });

      const again = mcpServerSource(source.locator as McpServerSpec, {
        ...quick,
        env: { API_TOKEN: 'tok-new-1', PASSWORD: 'p' },
      });
      expect(again.locator).toEqual(source.locator);
      for await (const item of again.read(new AbortController().signal)) expect('entity' in item).toBe(true);
    },
  );
});
