import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as importFiles } from './import.ts';
import { command as skill } from './skill.ts';

let root: string;
let parent: string;
let folder: string;
let victim: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dowser-skill-'));
  parent = join(root, 'a', 'b', 'skills');
  folder = join(parent, 'pdf');
  victim = join(root, 'victim.txt');
  await mkdir(parent, { recursive: true });
  await writeFile(victim, 'mine');
  const file = { path: 'scripts/victim.txt', size: 1, digest: 'sha256:0', content: 'x' };
  const entity = { type: 'skill', path: '/skills/pdf', name: 'pdf', description: 'Reads PDF', files: [file] };
  const lines = join(root, 'skills.jsonl');
  await writeFile(lines, JSON.stringify(entity));
  await runCommand(importFiles, ['import', lines, '--data', join(root, 'data')]);
});
afterEach(() => rm(root, { recursive: true }));

const run = (...words: readonly string[]) =>
  runCommand(skill, ['skill', ...words, '--dir', parent, '--data', join(root, 'data')]).catch((thrown) => thrown);
const install = () => run('install', '/skills/pdf');
const lockOf = (name: string, files: readonly string[]) =>
  writeFile(
    join(parent, 'skills-lock.json'),
    JSON.stringify({
      version: 1,
      skills: {
        [name]: {
          path: '/skills/pdf',
          version: null,
          files: Object.fromEntries(files.map((path) => [path, 'sha256:0'])),
        },
      },
    }),
  );

describe('the folder of an installed skill', () => {
  it.each([
    ['pdf', '../../../../victim.txt'],
    ['pdf', 'scripts/../../../../../victim.txt'],
    ['pdf', '/etc/passwd'],
    ['pdf', '..\\victim.txt'],
    ['..', 'victim.txt'],
    ['../../x', 'victim.txt'],
  ])('refuses a lock file that leads out of it: %s, %s', async (name, path) => {
    await lockOf(name, ['SKILL.md', path]);
    for (const error of [await install(), await run('check')]) {
      expect(error).toMatchObject({ code: 'INVALID_FILE' });
      expect(error.message).toContain(`names '${name === 'pdf' ? path : name}'`);
    }
    expect(await readFile(victim, 'utf8')).toBe('mine');
    await expect(stat(folder)).rejects.toThrow();
  });

  it.each(['{"version":1,"skills":null}', '{"version":1,"skills":{"pdf":{"path":"/skills/pdf"}}}', 'null'])(
    'refuses the lock file %s',
    async (text) => {
      await writeFile(join(parent, 'skills-lock.json'), text);
      expect(await install()).toMatchObject({ code: 'INVALID_FILE' });
    },
  );

  it('is written again if it is gone', async () => {
    await lockOf('pdf', ['SKILL.md', 'old/gone.txt']);
    expect(await install()).toContain('pdf: installed');
    expect(await readFile(join(folder, 'scripts', 'victim.txt'), 'utf8')).toBe('x');
  });

  it('is not written through a symbolic link', async () => {
    for (const target of [join(root, 'a'), join(root, 'nowhere')]) {
      await symlink(target, folder);
      expect(await install()).toMatchObject({ code: 'ALREADY_EXISTS', message: `${folder} is a symbolic link.` });
      await rm(folder);
    }
    await install();
    await rm(join(folder, 'scripts'), { recursive: true });
    await symlink(root, join(folder, 'scripts'));
    // What a lock file of others may say of the rest.
    await lockOf('pdf', []);
    expect(await install()).toMatchObject({ message: `${join(folder, 'scripts')} is a symbolic link.` });
    await rm(folder, { recursive: true });
    await mkdir(folder);
    await symlink(victim, join(folder, 'SKILL.md'));
    expect(await install()).toMatchObject({ message: `${join(folder, 'SKILL.md')} is a symbolic link.` });
    expect(await readFile(victim, 'utf8')).toBe('mine');
  });
});
