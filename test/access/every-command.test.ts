import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FileKeys } from '../../src/access/file-keys.ts';
import { COMMANDS, type CommandInfo } from '../../src/cli/command-tables/command-table.ts';
import { run } from '../../src/cli/run.ts';
import type { Scope } from '../../src/model/caller/caller.ts';
import { openRegistry } from '../../src/open.ts';

let dir: string;
let keys: FileKeys;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-commands-'));
  keys = new FileKeys(dir);
  const registry = await openRegistry({ data_dir: dir, embeddings_provider: 'off' });
  const skill = { type: 'skill', description: 'Pays invoices' };
  await registry.putMany([
    { ...skill, path: '/open', name: 'open' },
    { ...skill, path: '/hidden', name: 'hidden', visibility: 'group-restricted', allowed_groups: ['platform'] },
  ]);
  await registry.close();
});
afterAll(async () => {
  keys.close();
  await rm(dir, { recursive: true });
});

const newKey = (name: string, scopes: readonly Scope[], expiresAt: string | null = null) =>
  keys.create({ name, scopes, groups: ['payments'], expiresAt }, new Date(0)).key;

/** Runs a command as a shell would, with a key in the environment; gives its exit code and all that it says. */
async function shell(argv: readonly string[], key?: string) {
  const said: string[] = [];
  const catchText = (text: unknown) => {
    said.push(String(text));
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(catchText),
    vi.spyOn(process.stderr, 'write').mockImplementation(catchText),
  ];
  const env = {
    DOWSER_DATA: dir,
    EMBEDDINGS_PROVIDER: 'off',
    HOME: dir,
    ...(key === undefined ? {} : { DOWSER_KEY: key }),
  };
  try {
    const code = await run(argv, env);
    return { code, text: said.join('') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

const WORDS: Readonly<Record<string, string>> = {
  key: 'list',
  memory: 'list',
  completion: 'bash',
  model: 'list',
  examples: 'list',
};
const argvOf = ({ name, args }: CommandInfo): readonly string[] => [
  name,
  ...args.filter((arg) => arg.startsWith('<')).map(() => WORDS[name] ?? 'x'),
  ...(name === 'completion' ? [] : ['--json']),
];
const GUARDED = (COMMANDS as readonly CommandInfo[]).filter(({ right }) => right !== 'none');

describe('every command', () => {
  it('refuses a key that is malformed, unknown, expired or revoked', async () => {
    const revoked = newKey('revoked', ['admin']);
    keys.revoke('revoked', new Date(0));
    const wrong = ['nonsense', `dwsr_${'A'.repeat(49)}`, newKey('expired', ['admin'], '2020-01-01T00:00:00Z'), revoked];
    const through: string[] = [];
    for (const key of wrong) {
      for (const info of GUARDED) {
        const { code, text } = await shell(
          argvOf(info).filter((word) => word !== '--json'),
          key,
        );
        if (code !== 1 || !text.includes('API key')) through.push(`${info.name} ${code} ${text}`);
        if (text.includes(key)) through.push(`${info.name} shows the key`);
      }
    }
    expect(through).toEqual([]);
  });

  it('refuses a key without the scope that it needs', async () => {
    const through: string[] = [];
    for (const [scope, lacks] of [
      ['read', ['write', 'admin']],
      ['write', ['admin']],
    ] as const) {
      const key = newKey(`only-${scope}`, [scope]);
      for (const info of GUARDED.filter(({ right }) => (lacks as readonly string[]).includes(right))) {
        const { code, text } = await shell(
          argvOf(info).filter((word) => word !== '--json'),
          key,
        );
        if (code !== 1 || !text.includes(`needs the scope '${info.right}'`))
          through.push(`${info.name} ${code} ${text}`);
      }
    }
    expect(through).toEqual([]);
  });

  it('needs nothing where it does not use the registry', () => {
    const free = (COMMANDS as readonly CommandInfo[]).filter(({ right }) => right === 'none');
    expect(free.map(({ name }) => name)).toEqual(['model', 'completion']);
  });
});

it('shows a key what it may read, and the user of the folder everything', async () => {
  const key = newKey('reader', ['read']);
  const paths = async (with_: string | undefined) =>
    JSON.parse((await shell(['list', '--json'], with_)).text).entities.map(
      (one: { entity: { path: string } }) => one.entity.path,
    );
  expect(await paths(key)).toEqual(['/open']);
  expect((await paths(undefined)).sort()).toEqual(['/hidden', '/open']);
  const exported = await shell(['export'], key);
  expect([exported.text.includes('/open'), exported.text.includes('/hidden')]).toEqual([true, false]);
  const hidden = await shell(['get', 'skill:/hidden'], key);
  expect([hidden.code, hidden.text.includes('Pays')]).toEqual([1, false]);
});

it('imports who may see what, after showing it', async () => {
  const file = join(dir, 'scopes.yml');
  const text =
    'group_mappings:\n  payments: [some]\nUI-Scopes:\n  some:\n    list_skills: [hidden]\n    modify_skill: [hidden]\n' +
    'some:\n  - server: clock\n    tools: [now]\n';
  await writeFile(file, text);
  const clock = { type: 'mcp_server', path: '/clock', name: 'Clock', tools: [{ name: 'now' }, { name: 'then' }] };
  await writeFile(join(dir, 'clock.jsonl'), JSON.stringify(clock));
  await shell(['import', join(dir, 'clock.jsonl'), '--lexical']);
  const dry = JSON.parse((await shell(['groups', 'import', file, '--dry-run', '--json'])).text);
  expect(dry).toEqual({
    group_scopes: 'payments=read+write',
    dry_run: true,
    changed: [
      { type: 'mcp_server', path: '/clock', visibility: 'private', allowed_groups: [] },
      { type: 'skill', path: '/hidden', visibility: 'private', allowed_groups: [] },
      { type: 'skill', path: '/open', visibility: 'private', allowed_groups: [] },
    ],
    warnings: ["The group 'payments' may use some tools of /clock only, so it does not see it here."],
  });
  const key = newKey('curious', ['read']);
  expect((await shell(['list'], key)).text).toContain('/open');
  expect((await shell(['groups', 'import', file])).code).toBe(0);
  expect((await shell(['list'], key)).text).not.toContain('/open');
  expect((await shell(['groups', 'import', join(dir, 'none.yml')])).text).toContain('Cannot read');
});

describe('dowser key', () => {
  it('creates a key that is shown once, lists it, and revokes it', async () => {
    const argv = [
      'key',
      'create',
      '--name',
      'ci',
      '--groups',
      'payments, search',
      '--scopes',
      'write',
      '--expires',
      '90d',
    ];
    const { key, ...created } = JSON.parse((await shell([...argv, '--json'])).text);
    expect(key).toMatch(/^dwsr_[0-9A-Za-z]{49}$/);
    expect(created).toMatchObject({ name: 'ci', groups: ['payments', 'search'], scopes: ['write'], revoked_at: null });
    const listed = await shell(['key', 'list']);
    expect(listed.text).toContain('ci (');
    expect(listed.text).not.toContain(key.slice(5, 30));
    expect((await shell(argv)).text).toContain('There is already a key "ci"');
    expect((await shell(['tags'], key)).code).toBe(0);
    expect((await shell(['key', 'revoke', 'ci'])).code).toBe(0);
    expect((await shell(['tags'], key)).text).toContain('revoked');
    expect((await shell(argv)).code).toBe(0);
  });

  it.each([
    [['--name', 'a b']],
    [['--name', 'x', '--scopes', 'root']],
    [['--name', 'x', '--scopes', '']],
    [['--name', 'x', '--expires', '0d']],
    [['--name', 'x', '--expires', '99999d']],
    [['--name', 'x', '--expires', 'soon']],
  ])('refuses %j', async (more) => {
    expect((await shell(['key', 'create', ...more])).code).toBe(2);
  });

  it('records the life of a key', async () => {
    const { records } = JSON.parse((await shell(['audit', '--json', '--limit', '500'])).text);
    const life = records.filter(({ ids }: { ids: string[] }) => ids.includes('key:ci')).reverse();
    const lines = life.map((record: Record<string, string>) => `${record.who} ${record.action} ${record.result}`);
    expect(lines).toEqual([
      'local dowser key create done',
      'local dowser key create ALREADY_EXISTS',
      'local dowser key revoke done',
      'local dowser key create done',
    ]);
  });
});
