import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateOfFolder } from './data-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-folder-'));
});
afterEach(() => rm(dir, { recursive: true }));

describe('stateOfFolder', () => {
  it('tells a folder from one that could be made', async () => {
    await mkdir(join(dir, 'there'));
    expect(await stateOfFolder(join(dir, 'there'))).toBe('writable');
    expect(await stateOfFolder(join(dir, 'not', 'yet'))).toBe('missing');
  });

  it.each([
    [['file'], /^The data folder .*file is a file, not a folder\.$/],
    [['file', 'below', 'it'], /^The data folder .*it cannot be created: .*file is a file, not a folder\.$/],
  ])('names the file at %j that is in the way', async (parts, message) => {
    await writeFile(join(dir, 'file'), '');
    await expect(stateOfFolder(join(dir, ...parts))).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('--data'),
    });
  });

  it.each([[['link']], [['link', 'below']]])('refuses %j, a link to nothing', async (parts) => {
    await symlink(join(dir, 'nowhere'), join(dir, 'link'));
    await expect(stateOfFolder(join(dir, ...parts))).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      message: expect.stringMatching(/link is a link to something that does not exist\.$/),
    });
  });

  // Permissions do not bind root, but no file system takes a name this long.
  it('says why a folder cannot be written', async () => {
    await expect(stateOfFolder(join(dir, 'x'.repeat(300)))).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('cannot be written (ENAMETOOLONG)'),
    });
  });
});
