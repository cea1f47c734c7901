import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTITY_TYPES } from '../../src/model/entity.ts';
import { MAIN, Sandbox, SERVERS } from './cli-process.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

/** Standard error may have progress, on a slow machine, but no complaint. */
const COMPLAINT = /warning|error/;

const said = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await sandbox.run(args);
  expect([code, COMPLAINT.exec(stderr)]).toEqual([0, null]);
  return stdout;
};
const parsed = async (...args: readonly string[]) => JSON.parse(await said(...args, '--json'));
const imported = async () => said('import', await sandbox.file('servers.jsonl', SERVERS));
const pathsOf = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await parsed('list', ...args)).entities.map(({ entity }: { entity: { path: string } }) => entity.path);

/** The same in the folder itself and through the server that has it. */
const bothWays = async (check: () => Promise<void>) => {
  await check();
  const server = await sandbox.serve();
  await check();
  await server.stop('SIGTERM');
};

describe('dowser list', () => {
  it('prints what `get` takes, and fits the terminal', async () => {
    await imported();
    await bothWays(async () => {
      expect(await said('list')).toBe(`3 entities
mcp_server:/page-reader  Page Reader  Reads a web page and gives it back as Markdown
mcp_server:/postbox      Postbox  Sends and sorts electronic mail
skill:/skills/packing    packing  Packs a suitcase for any weather
`);
    });
    const { stdout } = await sandbox.run(['list'], { COLUMNS: '40' });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    for (const [, id] of stdout.matchAll(/^(\w+:\S+)/gm)) expect(await said('get', id!)).toContain(id);
  });

  it('keeps to its filters', async () => {
    await imported();
    await bothWays(async () => {
      for (const [args, expected] of [
        [['mcp_server'], ['/page-reader', '/postbox']],
        [['--tag', 'WEB'], ['/page-reader']],
        [['--query', 'MAIL'], ['/postbox']],
        [['--status', 'draft'], []],
        [['--status', 'active,beta', '--tag', 'mail'], ['/postbox']],
        [['--limit', '1'], ['/page-reader']],
      ] as const)
        expect([args, await pathsOf(...args)]).toEqual([args, expected]);
    });
  });

  it('says how many there are, and what to do where there is nothing', async () => {
    await imported();
    expect(await said('list', '--limit', '2')).toMatch(/^2 of 3 entities\n.*\nShow more with --limit/s);
    expect(await parsed('list', '--limit', '2')).toMatchObject({ total_count: 3 });
    expect(await said('list', '--tag', 'none')).toBe('0 entities\nNothing matches. Try fewer filters.\n');
    const { stdout, stderr } = await sandbox.run(['list', '--data', 'elsewhere']);
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('dowser examples load'),
      expect.stringContaining('There is no data folder'),
    ]);
  });

  it('lists and exports more than a page of a server holds', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => ({ type: 'skill', path: `/s${i}`, name: `s${i}` }));
    await said('import', await sandbox.file('many.jsonl', many));
    const server = await sandbox.serve();
    expect(new Set(await pathsOf('--limit', '1050')).size).toBe(1050);
    expect(new Set((await said('export')).trimEnd().split('\n')).size).toBe(1100);
    await server.stop('SIGTERM');
  });

  it.each([
    [['list', 'gadget'], 'UNKNOWN_TYPE'],
    [['list', '--status', 'gone'], '--status is "gone": must be one of active'],
    [['list', '--limit', '0'], '--limit is "0": must be a whole number from 1.'],
    [['tags', '--limit', 'x'], '--limit is "x": must be a whole number from 1.'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await sandbox.run(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('dowser tags', () => {
  it('counts each once whatever its case, most used first', async () => {
    const skills = [['Git', 'git', 'web'], ['GIT'], ['Zip', 'web']].map((tags, i) => ({
      type: 'skill',
      path: `/s${i}`,
      name: `s${i}`,
      tags,
    }));
    await said('import', await sandbox.file('skills.jsonl', skills));
    await bothWays(async () => {
      expect(await said('tags')).toBe('3 tags\n2  Git\n2  web\n1  Zip\n');
      expect(await parsed('tags', '--limit', '1')).toEqual({ total_count: 3, tags: [{ tag: 'Git', count: 2 }] });
    });
  });
});

describe('dowser export', () => {
  it('writes what `import` reads back to the same entities', async () => {
    await said('examples', 'load');
    await said('export', '--out', 'first.jsonl');
    const first = await readFile(join(sandbox.dir, 'first.jsonl'), 'utf8');
    expect(
      new Set(
        first
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).type),
      ),
    ).toEqual(new Set(ENTITY_TYPES));
    await said('import', 'first.jsonl', '--data', 'copy', '--strict');
    expect(await said('export', '--data', 'copy')).toBe(first);
    const server = await sandbox.serve();
    expect(await said('export')).toBe(first);
    const some = (await said('export', '--type', 'tool,memory', '--type', 'document')).trimEnd().split('\n');
    expect(new Set(some.map((line) => JSON.parse(line).type))).toEqual(new Set(['tool', 'memory', 'document']));
    await server.stop('SIGTERM');
  });

  it('says how much it wrote, and leaves a file alone that it cannot replace', async () => {
    await imported();
    expect(await said('export', '--out', 'all.jsonl')).toBe('Exported 3 entities to all.jsonl\n');
    expect(await parsed('export', '--out', 'all.jsonl')).toEqual({ entities: 3, file: 'all.jsonl' });
    await mkdir(join(sandbox.dir, 'folder'));
    const { code, stderr } = await sandbox.run(['export', '--out', 'folder']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('folder cannot be written')]);
    expect((await readdir(sandbox.dir)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('feeds an import of the same folder', async () => {
    await imported();
    const command = `"${process.execPath}" "${MAIN}"`;
    const env = { ...process.env, DOWSER_DATA: sandbox.data, EMBEDDINGS_PROVIDER: 'off' };
    const piped = `${command} export | sed s/Postbox/Mailbox/ | ${command} import -`;
    const { stdout, stderr } = spawnSync('bash', ['-c', piped], { env, encoding: 'utf8' });
    expect([stdout, COMPLAINT.exec(stderr)]).toEqual([expect.stringMatching(/^0 added, 3 updated, 0 rejected/), null]);
    expect(await said('get', '/postbox')).toMatch(/^Mailbox mcp_server:\/postbox\n/);
  });
});

describe('dowser get and delete', () => {
  it('take exactly what `add` printed, and `remove` is `delete`', async () => {
    const skill = join(sandbox.dir, 'skills', 'packing');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), '---\nname: packing\ndescription: Packs a suitcase\n---\nFold shirts.\n');
    const [, id] = /^added {2}(\S+)/.exec(await said('add', skill)) ?? [];
    expect(id).toBe('skill:/skills/packing');
    expect(await said('get', id!)).toMatch(/^packing skill:\/skills\/packing\n/);
    expect(await said('remove', id!)).toBe('Deleted skill:/skills/packing (packing)\n');
    expect((await sandbox.run(['get', id!])).code).toBe(1);
  });
});

describe('dowser import', () => {
  it('reads standard input, and names its lines', async () => {
    const lines = [...SERVERS.map((server) => JSON.stringify(server)), '{"half'].join('\n');
    const { code, stdout, stderr } = await sandbox.run(['import', '-'], {}, lines);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^3 added, 0 updated, 1 rejected/)]);
    expect(stderr).toContain('\n  stdin:4:7  MALFORMED_JSON');
    expect((await readdir(sandbox.dir)).filter((name) => name.startsWith('dowser-'))).toEqual([]);
  });

  it('keeps the status and the switch that somebody set, unless a line states them', async () => {
    await imported();
    const server = await sandbox.serve();
    const patch = async (fields: object) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify(fields);
      expect((await fetch(`${server.url}/api/servers/postbox`, { method: 'PATCH', headers, body })).status).toBe(200);
    };
    const lifecycle = async () => {
      const { entity } = await parsed('get', '/postbox');
      return [entity.status, entity.is_enabled];
    };
    await patch({ status: 'deprecated', is_enabled: false });
    await imported();
    expect(await lifecycle()).toEqual(['deprecated', false]);
    await server.stop('SIGTERM');
    await imported();
    expect(await lifecycle()).toEqual(['deprecated', false]);
    await said('import', await sandbox.file('stated.jsonl', [{ ...SERVERS[1], status: 'active' }]));
    expect(await lifecycle()).toEqual(['active', false]);
  });
});

describe('the example catalog', () => {
  const count = async () => (await parsed('examples')).loaded;
  const started = async () => {
    const server = await sandbox.serve(['--example']);
    await server.stop('SIGTERM');
  };

  it('gives way to what a person adds, and does not come back', async () => {
    await started();
    const all = await count();
    expect(all).toBeGreaterThan(200);
    const mine = { type: 'mcp_server', path: '/gitlab', name: 'Our GitLab', description: 'In the cellar' };
    expect(await said('import', await sandbox.file('mine.jsonl', [mine]))).toContain(
      'Replaced the existing /gitlab (from the example catalog).\n',
    );
    const skill = join(sandbox.dir, 'pdf');
    await mkdir(skill);
    await writeFile(join(skill, 'SKILL.md'), '---\nname: pdf\ndescription: Our own way with PDF\n---\nPrint it.\n');
    const { code, stdout, stderr } = await sandbox.run(['add', skill]);
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('updated  skill:/skills/pdf'),
      'warning: SKILL.md: Replaced the existing /skills/pdf (from the example catalog).\n',
    ]);
    await said('delete', 'mcp_server:/slack');
    expect(await count()).toBe(all - 3);
    await started();
    expect(await count()).toBe(all - 3);
    expect((await parsed('get', '/gitlab')).entity.name).toBe('Our GitLab');
    await said('approve', '/notion');
    const yours = 'mcp_server:/gitlab, mcp_server:/notion, skill:/skills/pdf';
    expect(await said('examples', 'remove')).toBe(
      `Removed the example catalog: ${all - 4} entities.\nKept what you have replaced, changed, approved or blocked: ${yours}. Delete it with \`dowser delete\`.\n`,
    );
    expect(await pathsOf()).toEqual(['/gitlab', '/notion', '/skills/pdf']);
    await said('delete', '/notion');
    expect(await said('examples')).toBe('The example catalog is not loaded.\n');
    await said('delete', '/gitlab');
    await said('delete', 'skill:/skills/pdf');
    await started();
    expect(await pathsOf()).toEqual([]);
  });

  it('is loaded and removed by one command each, also through a server, and is not read by `refresh`', async () => {
    await imported();
    await bothWays(async () => {
      expect(await said('examples', 'load')).toMatch(/^Loaded the example catalog: \d+ entities\.\n$/);
      expect((await pathsOf()).length).toBe(50);
      expect(await said('refresh')).toBe('There is no added source to read again.\n');
      expect((await parsed('examples', 'remove')).removed).toBeGreaterThan(200);
      expect((await pathsOf()).length).toBe(SERVERS.length);
    });
  });

  it('says what is yours', async () => {
    const mine = { type: 'mcp_server', path: '/gitlab', name: 'Our GitLab' };
    await said('import', await sandbox.file('mine.jsonl', [mine]));
    expect(await said('examples', 'load')).toMatch(/ Kept 1 entity of your own in place of an example\.\n$/);
    const { code, stderr } = await sandbox.run(['examples', 'burn']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('status, load, remove')]);
  });
});

describe('the banner of a server', () => {
  it('proposes the examples, then a search that finds this server, from a checkout and elsewhere', async () => {
    const line = `search "find a tool that reads PDFs" --limit 3 --data ${sandbox.data}\n`;
    const installed = await sandbox.serve();
    await expect.poll(() => installed.output.stdout).toContain(`  dowser examples load --data ${sandbox.data}\n`);
    await sandbox.run(['examples', 'load']);
    await installed.stop('SIGTERM');
    const filled = await sandbox.serve();
    await expect.poll(() => filled.output.stdout).toContain(`  dowser ${line}`);
    await filled.stop('SIGTERM');
    const checkout = await sandbox.serve(['--example'], { npm_package_name: 'dowser' });
    await expect.poll(() => checkout.output.stdout).toContain(`  npm run -s dowser -- ${line}`);
    const [, proposed] = /^ {2}(npm run .*)$/m.exec(checkout.output.stdout)!;
    const cwd = fileURLToPath(new URL('../../', import.meta.url));
    const { stdout } = spawnSync('sh', ['-c', proposed!], { cwd, encoding: 'utf8' });
    expect(stdout).toMatch(/^3 results .*\n1 .*PDF Reader/);
    await checkout.stop('SIGTERM');
  });
});

/** A command line that runs where the data folder cannot be written. Permissions do not bind root, a mount does. */
async function whereReadOnly(command: readonly string[]): Promise<readonly string[]> {
  await chmod(sandbox.data, 0o555);
  if (process.getuid?.() !== 0) return command;
  const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  return ['unshare', '-m', 'sh', '-c', mount, sandbox.data, ...command];
}

describe('a data folder that cannot be written', () => {
  afterEach(() => chmod(sandbox.data, 0o755));

  it('is searched, listed and exported all the same, and refuses what would change it', async () => {
    await imported();
    const before = (await readdir(sandbox.data)).sort();
    const ran = async (...args: readonly string[]) => {
      const [program, ...words] = await whereReadOnly([process.execPath, MAIN, ...args]);
      const env = { ...process.env, DOWSER_DATA: sandbox.data, EMBEDDINGS_PROVIDER: 'off', HOME: sandbox.dir };
      const { status, stdout, stderr } = spawnSync(program!, words, { env, encoding: 'utf8' });
      return { code: status, stdout, stderr };
    };
    expect(await ran('search', 'suitcase')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('/skills/packing'),
    });
    expect(await ran('get', 'packing')).toMatchObject({ code: 0, stdout: expect.stringContaining('suitcase') });
    expect(await ran('list')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 entities\n/), stderr: '' });
    expect(await ran('tags')).toMatchObject({ code: 0, stdout: '2 tags\n1  mail\n1  web\n' });
    expect((await ran('export')).stdout.split('\n').length).toBe(SERVERS.length + 1);
    expect(await ran('explain', 'suitcase', '/skills/packing')).toMatchObject({ code: 0 });
    const { code: healthy, stdout: checks } = await ran('doctor');
    expect([healthy, checks]).toEqual([
      0,
      expect.stringMatching(/^warn {2}data folder .* cannot be written\n.*Searches/m),
    ]);
    for (const change of [
      ['delete', '/postbox'],
      ['import', 'servers.jsonl'],
      ['drift', '--accept'],
    ]) {
      const { code, stderr } = await ran(...change);
      expect([change, code, stderr]).toEqual([change, 1, expect.stringContaining('cannot be written')]);
    }
    expect((await readdir(sandbox.data)).sort()).toEqual(before);
  });
});
