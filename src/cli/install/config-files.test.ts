import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInstallations, replaceFile } from './config-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-config-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('replaceFile', () => {
  it('writes through no link that lies beside the file, keeps the mode, and leaves nothing else', async () => {
    const [file, other] = [join(dir, '.mcp.json'), join(dir, 'other')];
    await writeFile(file, '{}');
    await chmod(file, 0o666);
    await writeFile(other, 'mine');
    await symlink(other, `${file}.dowser-new`);
    await replaceFile(file, '{"a": 1}');
    expect([await readFile(file, 'utf8'), await readFile(other, 'utf8')]).toEqual(['{"a": 1}', 'mine']);
    expect((await stat(file)).mode & 0o777).toBe(0o666);
    expect(await readdir(dir)).toEqual(['.mcp.json', '.mcp.json.dowser-new', 'other']);
  });
});

describe('readInstallations', () => {
  it('forgets the part of the file that earlier versions kept', async () => {
    const one = { path: '/desk', client: 'codex', file: 'f', name: 'desk', written: 'x', created: false, digest: 'd' };
    const change = { at: 0, removed: 'ghp_1', added: 'ghp_1' };
    await writeFile(join(dir, 'installs.json'), JSON.stringify([{ ...one, change }]));
    expect(await readInstallations(dir)).toEqual([{ ...one, digest: '', changes: [] }]);
  });
});
