import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, DocumentServer } from '../../../test/support/document-server.ts';
import { DEFAULT_LIMITS } from '../source.ts';
import { openSource, reopenSource } from './open-source.ts';
import { recognizeText } from './recognize.ts';

const context = { env: {}, version: '0', limits: { ...DEFAULT_LIMITS, listMs: 2000 } };
const signal = new AbortController().signal;

const SKILL = '---\nname: knots\ndescription: Ties knots\n---\n# Bowline\n';
const CARD = { name: 'Gardener', url: 'https://g.example', skills: [] };
const SERVER = { name: 'io.x/a', description: 'A', version: '1.0.0', packages: [] };
const TEXTS: readonly (readonly [string, unknown])[] = [
  ['config', { mcpServers: {} }],
  ['config', '// mine\n{ "servers": {}, }'],
  ['a2a', CARD],
  ['a2a', { name: 'G', supportedInterfaces: [] }],
  ['server', SERVER],
  ['server', { $schema: 'https://static.example/schemas/2025-12-11/server.schema.json', name: 'x' }],
  ['registry', { servers: [] }],
  ['ard', { entries: [] }],
  ['skill', SKILL],
];

describe('recognizeText', () => {
  it.each(TEXTS)('%s', (kind, value) => {
    expect(recognizeText(typeof value === 'string' ? value : JSON.stringify(value))).toBe(kind);
  });

  it.each([[''], ['hello'], ['[]'], ['{"name": "left-pad", "version": "1.0.0"}'], ['{"half'], ['<html>']])(
    'makes nothing of %j',
    (text) => expect(recognizeText(text)).toBeUndefined(),
  );
});

describe('openSource', () => {
  let dir: string;
  let site: DocumentServer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dowser-open-'));
    site = await DocumentServer.open();
  });
  afterAll(async () => {
    await site.close();
    await rm(dir, { recursive: true });
  });
  const open = (what: string, over: object = {}) => openSource({ what, ...over }, context, signal);
  const kindAt = async (path: string, answer: (url: URL) => Answer | undefined) => {
    site.answer(answer);
    return (await open(`${site.url}${path}`)).kind;
  };

  it.each(TEXTS.filter(([kind]) => kind !== 'registry'))(
    'tells by its content that a file is a %s, and finds it again',
    async (kind, value) => {
      const file = join(dir, 'thing');
      await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));
      const source = await open(file);
      expect(source).toMatchObject({ kind, locator: { file } });
      expect(reopenSource(source.kind, source.locator, context)).toMatchObject({ kind, locator: source.locator });
    },
  );

  it('takes a folder for one of skills', async () => {
    await mkdir(join(dir, 'knots'), { recursive: true });
    await writeFile(join(dir, 'knots', 'SKILL.md'), SKILL);
    const source = await open(dir);
    expect(source.kind).toBe('skill');
    const parts = [];
    for await (const item of source.read(signal)) parts.push(item.part);
    expect(parts).toEqual(['knots/SKILL.md']);
  });

  it.each([
    ['a card', '/any.json', 'a2a', () => ({ body: CARD })],
    ['a manifest', '/any.json', 'ard', () => ({ body: { entries: [] } })],
    ['a skill', '/raw/SKILL.md', 'skill', () => ({ body: SKILL })],
    ['a stream', '/x', 'mcp', () => ({ type: 'text/event-stream', body: '' })],
    ['a refusal of GET', '/x', 'mcp', () => ({ status: 405, body: '' })],
    ['JSON-RPC', '/x', 'mcp', () => ({ status: 400, body: { jsonrpc: '2.0', error: {} } })],
    ['a list of servers', '/v0.1/servers', 'registry', () => undefined],
    [
      'a site with a card',
      '/',
      'a2a',
      (url: URL) => (url.pathname.endsWith('agent-card.json') ? { body: CARD } : undefined),
    ],
    [
      'a site with a manifest',
      '/',
      'ard',
      (url: URL) => (url.pathname.endsWith('ard.json') ? { body: { entries: [] } } : undefined),
    ],
    [
      'a site with a registry',
      '/',
      'registry',
      (url: URL) =>
        url.pathname === '/v0.1/servers' ? { body: { servers: [] } } : { type: 'text/html', body: '<html>' },
    ],
    ['a site that says nothing', '/', 'mcp', () => undefined],
  ] as const)('tells by the answer what an address is: %s', async (_, path, kind, answer) => {
    expect(await kindAt(path, answer)).toBe(kind);
  });

  it('takes what comes after -- for a command, with the folder it was given in', async () => {
    const source = await openSource({ command: ['npx', '-y', 'x'], name: 'X' }, context, signal);
    expect(source).toMatchObject({
      kind: 'mcp',
      title: 'npx -y x',
      locator: { command: 'npx', args: ['-y', 'x'], cwd: process.cwd() },
    });
  });

  it.each([
    ['nowhere.json', {}, 'NOT_FOUND', /File or folder not found/],
    [' ', {}, 'INVALID_REQUEST', /Nothing to add/],
    ['https://x.example', { kind: 'config' }, 'INVALID_REQUEST', /must be a file/],
    ['http://', {}, 'INVALID_REQUEST', /'http:\/\/' is not an http or https address/],
    ['http://', { kind: 'a2a' }, 'INVALID_REQUEST', /not an http or https address/],
    ['https://exa mple.com/x', {}, 'INVALID_REQUEST', /not an http or https address/],
    ['ftp://x.example/y', { kind: 'mcp' }, 'INVALID_REQUEST', /not an http or https address/],
    ['http://a%zz:b@h', {}, 'INVALID_REQUEST', /cannot be decoded/],
    ['http://a%zz:b@h', { kind: 'mcp' }, 'INVALID_REQUEST', /cannot be decoded/],
  ])('refuses %j %j', async (what, over, code, message) => {
    await expect(open(what, over)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('keeps what was filled in out of its errors', async () => {
    site.answer(() => ({ status: 404, body: '' }));
    const env = { KEY: 'opensesame1' };
    const call = openSource({ what: `${site.url}/\${KEY}/card.json` }, { ...context, env }, signal);
    await expect(call).rejects.toMatchObject({ message: expect.stringContaining('[redacted]/card.json answers 404') });
    expect(site.requests.at(-1)!.url).toBe('/opensesame1/card.json');
  });

  it.each([
    [{ name: 'X' }, '--name'],
    [{ env: { A: 'a' }, headers: { B: 'b' } }, '--env and --header'],
  ])('refuses what a folder has no use for: %j', async (over, flags) => {
    await expect(open(dir, over)).rejects.toMatchObject({
      message: expect.stringContaining(`${flags} cannot be used with`),
    });
  });

  it('says of broken JSON that it is broken, and where', async () => {
    const file = join(dir, 'mcp.json');
    await writeFile(file, '{\n  "mcpServers": {\n    "a": { "command": "x" "args": [] }\n  }\n}\n');
    const broken = { code: 'MALFORMED_JSON', hint: expect.stringContaining('commas') };
    await expect(open(file)).rejects.toMatchObject({
      ...broken,
      message: `'${file}' is not JSON (line 3, column 27).`,
    });
    site.answer(() => ({ body: '{"mcpServers": ' }));
    await expect(open(`${site.url}/x.json`)).rejects.toMatchObject(broken);
  });

  it('says so when it cannot tell, and where JSON Lines belong', async () => {
    const file = join(dir, 'x.jsonl');
    await writeFile(file, '{"type":"skill"}\n{"type":"skill"}\n');
    await expect(open(file)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      hint: expect.stringContaining('dowser import'),
    });
    await rename(file, join(dir, 'x.json'));
    await expect(open(join(dir, 'x.json'))).rejects.toMatchObject({ hint: expect.stringContaining('dowser import') });
    site.answer(() => ({ body: { what: 'is this' } }));
    await expect(open(`${site.url}/x.json`)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      hint: expect.stringContaining('--kind'),
    });
  });
});

describe('skill folders', () => {
  it('report a bad file and go on; two skills of one name get paths of their own', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dowser-skills-'));
    try {
      for (const [name, text] of [
        ['a', SKILL],
        ['b', 'no front matter'],
        ['c', SKILL],
      ] as const) {
        await mkdir(join(dir, name));
        await writeFile(join(dir, name, 'SKILL.md'), text);
      }
      const source = await openSource({ what: dir }, context, signal);
      const found = [];
      for await (const item of source.read(signal))
        found.push('entity' in item ? item.entity.path : 'problem' in item && item.problem.code);
      expect(found).toEqual(['/skills/knots', 'INVALID_FILE', '/skills/c']);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
