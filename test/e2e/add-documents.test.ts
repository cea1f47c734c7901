import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DocumentServer } from '../support/document-server.ts';
import { Sandbox } from './cli-process.ts';

// Each test starts a dozen processes, and a machine may be busy with others.
vi.setConfig({ testTimeout: 90_000 });

const FIXTURE = fileURLToPath(new URL('../support/mcp-fixture.mjs', import.meta.url));
const node = process.execPath;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const definition = (name: string, value: unknown) => sandbox.file(name, [value]);
const json = async (...args: readonly string[]) => JSON.parse((await sandbox.run([...args, '--json'])).stdout);
const found = async (query: string) =>
  ((await json('search', query)) as { results: { path: string }[] }).results.map(({ path }) => path);

describe('documents on the network', () => {
  let site: DocumentServer;
  beforeEach(async () => {
    site = await DocumentServer.open();
  });
  afterEach(() => site.close());

  it('are added by their address alone: an agent, a manifest, a skill', async () => {
    const card = {
      name: 'Tide Reader',
      description: 'Reads tide tables',
      url: 'https://t.example',
      protocolVersion: '0.3.0',
      skills: [{ id: 's', name: 'High water', description: 'When the water is high', tags: [] }],
    };
    const entry = {
      identifier: 'urn:air:t.example:x:loom',
      displayName: 'Loom',
      type: 'application/mcp-server-card+json',
      data: { name: 't.example/loom' },
      representativeQueries: ['weave a carpet'],
    };
    const answers: Record<string, unknown> = {
      '/.well-known/agent-card.json': card,
      '/ard.json': { entries: [entry] },
      '/SKILL.md': '---\nname: knots\ndescription: Ties bowlines and hitches\n---\n',
    };
    site.answer((url) => (url.pathname in answers ? { body: answers[url.pathname] } : undefined));
    const { code, stdout } = await sandbox.run(['add', site.url, `${site.url}/ard.json`, `${site.url}/SKILL.md`]);
    expect([code, stdout]).toEqual([
      0,
      'added  a2a_agent:/tide-reader  1 skill\nadded  mcp_server:/t.example/x/loom  urn:air:t.example:x:loom\nadded  skill:/skills/knots\n',
    ]);
    expect(await found('weave a carpet')).toEqual(['/t.example/x/loom']);
  });

  it('a registry is read whole once, then only what changed; what it deleted is gone', async () => {
    const entry = (name: string, updatedAt: string, status = 'active') => ({
      server: { name: `io.x/${name}`, description: `Serves ${name}`, version: '1.0.0' },
      _meta: { 'io.modelcontextprotocol.registry/official': { status, isLatest: true, updatedAt } },
    });
    const first = [entry('apples', '2099-01-01T00:00:00Z'), entry('pears', '2099-01-02T00:00:00Z')];
    site.answer((url) => {
      if (url.pathname !== '/v0.1/servers') return undefined;
      const since = url.searchParams.get('updated_since');
      const servers =
        since === null
          ? first
          : [entry('plums', '2099-01-03T00:00:00Z'), entry('pears', '2099-01-03T00:00:00Z', 'deleted')];
      return { body: { servers, metadata: { count: servers.length } } };
    });
    expect((await sandbox.run(['add', site.url])).stdout.match(/^added/gm)).toHaveLength(2);
    const { stdout } = await sandbox.run(['refresh']);
    expect(stdout).toMatch(
      /^added .*\n {2}added {2}mcp_server:\/io\.x\/plums\n {2}deleted {2}mcp_server:\/io\.x\/pears\n/,
    );
    // By our clock, and not by the stamps of the registry.
    const since = new URL(site.requests.at(-1)!.url, site.url).searchParams.get('updated_since');
    expect(since).toMatch(/^20[2-8]/);
    expect((await found('apples pears plums')).sort()).toEqual(['/io.x/apples', '/io.x/plums']);
    await site.close();
    expect((await sandbox.run(['refresh'])).stdout).toMatch(/^failed/);
    const { sources } = await json('refresh');
    expect(sources[0].results).toEqual([]);
    site = await DocumentServer.open();
  });

  it('keep no secret in the data folder, wherever it was given', async () => {
    const secrets = [
      's3cr3t-env-value',
      's3cr3t-header-value',
      's3cr3t-query-value',
      's3cr3t-password',
      's3cr3t-argument',
      's3cr3t-file-value',
      's3cr3t-short-flag',
    ];
    const [inEnv, inHeader, inQuery, inUser, inArgument, inFile, inShort] = secrets as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const echo = await definition('echo.json', {
      name: 'echo',
      instructions: 'Signed in with',
      echo_env: 'API_TOKEN',
      tools: [[{ name: 'x' }]],
    });
    site.answer(() => ({
      body: { name: 'Agent', description: 'An agent', url: 'https://a.example', protocolVersion: '0.3.0', skills: [] },
    }));
    const address = `${site.url.replace('://', `://me:${inUser}@`)}/card.json?api_key=${inQuery}`;
    const runs = [
      await sandbox.run([
        'add',
        '--env',
        `API_TOKEN=${inEnv}`,
        '--',
        node,
        FIXTURE,
        echo,
        '--api-key',
        inArgument,
        '-k',
        inShort,
      ]),
      await sandbox.run(['add', address, '--header', `Authorization: Bearer ${inHeader}`]),
      await sandbox.run([
        'add',
        await definition('mcp.json', {
          mcpServers: { filed: { command: node, args: [FIXTURE, echo], env: { API_TOKEN: inFile } } },
        }),
      ]),
    ];
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(site.requests[0]!.headers.authorization).toBe(`Bearer ${inHeader}`);
    const crash = await definition('echo.json', { mode: 'crash' });
    runs.push(
      await sandbox.run(['refresh'], { API_TOKEN: inEnv, API_KEY: inArgument, KEY: inShort, FIXTURE_KEY: inEnv }),
    );
    expect(crash).toBe(echo);
    const output = runs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
    await mkdir(sandbox.data, { recursive: true });
    const files = await readdir(sandbox.data);
    const bytes = await Promise.all(files.map((name) => readFile(join(sandbox.data, name), 'latin1')));
    expect(files).toContain('dowser.sqlite');
    const encoded = secrets.flatMap((secret) => [
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]);
    for (const secret of [...secrets, ...encoded]) {
      expect(output).not.toContain(secret);
      expect(files.filter((_, at) => bytes[at]!.includes(secret))).toEqual([]);
    }
  });
});
