import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sandbox } from './cli-process.ts';

vi.setConfig({ testTimeout: 180_000 });

let sandbox: Sandbox;
let source: string;
let target: string;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  source = join(sandbox.dir, 'packing');
  target = join(sandbox.dir, '.agents', 'skills');
  await mkdir(join(source, 'scripts'), { recursive: true });
  await writeFile(join(source, 'SKILL.md'), '---\nname: packing\ndescription: Packs a suitcase\n---\n\nPack light.\n');
  await writeFile(join(source, 'scripts', 'weigh.sh'), '#!/bin/sh\necho 3\n');
  await chmod(join(source, 'scripts', 'weigh.sh'), 0o755);
  await writeFile(join(source, 'list.bin'), Buffer.from([0, 1, 255]));
  await sandbox.run(['add', source]);
});
afterEach(() => sandbox.close());

const skill = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await sandbox.run(['skill', ...args, '--dir', target, '--json']);
  return { code, stderr, answer: stdout === '' ? null : JSON.parse(stdout) };
};
const install = () => skill('install', '/skills/packing');

describe('dowser skill', () => {
  it('installs every file with a lock file of digests, twice the same, and nothing with --dry-run', async () => {
    const dry = await sandbox.run(['skill', 'install', '/skills/packing', '--dir', target, '--dry-run']);
    expect(dry.stdout).toContain('packing: would be installed');
    await expect(stat(target)).rejects.toThrow();

    expect(await install()).toMatchObject({ code: 0, answer: { state: 'installed' } });
    const folder = join(target, 'packing');
    expect(await readFile(join(folder, 'SKILL.md'), 'utf8')).toContain('Pack light.');
    expect(await readFile(join(folder, 'list.bin'))).toEqual(Buffer.from([0, 1, 255]));
    expect((await stat(join(folder, 'scripts', 'weigh.sh'))).mode & 0o111).toBe(0o111);
    const lock = await readFile(join(target, 'skills-lock.json'), 'utf8');
    expect(Object.keys(JSON.parse(lock).skills.packing.files)).toEqual(['SKILL.md', 'list.bin', 'scripts/weigh.sh']);
    expect(await install()).toMatchObject({ code: 0, answer: { state: 'unchanged' } });
    expect(await readFile(join(target, 'skills-lock.json'), 'utf8')).toBe(lock);
    expect(await skill('check')).toMatchObject({ code: 0, answer: { drifted: 0 } });
  });

  it('tells what was edited, and does not overwrite it', async () => {
    await install();
    const manifest = join(target, 'packing', 'SKILL.md');
    await writeFile(manifest, 'mine');
    await rm(join(target, 'packing', 'list.bin'));
    const { code, answer } = await skill('check');
    expect([code, answer.skills]).toEqual([
      1,
      [
        expect.objectContaining({
          state: 'drifted',
          here: { changed: ['SKILL.md'], added: [], removed: ['list.bin'] },
          registry: { changed: [], added: [], removed: [] },
        }),
      ],
    ]);
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed since') });
    expect(await readFile(manifest, 'utf8')).toBe('mine');
  });

  it('tells what changed in the registry, and updates to it', async () => {
    await install();
    await writeFile(join(source, 'SKILL.md'), '---\nname: packing\ndescription: Packs a suitcase\n---\n\nPack two.\n');
    await rm(join(source, 'list.bin'));
    await sandbox.run(['refresh']);
    const { code, answer } = await skill('check');
    expect([code, answer.skills[0].registry]).toEqual([1, { changed: ['SKILL.md'], added: [], removed: ['list.bin'] }]);
    expect(await install()).toMatchObject({ code: 0, answer: { state: 'installed' } });
    expect(await readFile(join(target, 'packing', 'SKILL.md'), 'utf8')).toContain('Pack two.');
    await expect(stat(join(target, 'packing', 'list.bin'))).rejects.toThrow();
    expect(await skill('check')).toMatchObject({ code: 0 });
    await sandbox.run(['delete', 'skill:/skills/packing']);
    expect(await skill('check')).toMatchObject({ code: 1, answer: { skills: [{ registry: null }] } });
  });

  it('does not write into a folder of somebody else', async () => {
    await mkdir(join(target, 'packing'), { recursive: true });
    await writeFile(join(target, 'packing', 'SKILL.md'), 'theirs');
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('was not installed from there') });
    expect(await readFile(join(target, 'packing', 'SKILL.md'), 'utf8')).toBe('theirs');
  });
});
