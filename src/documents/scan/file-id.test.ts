import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashFile } from './file-id.ts';

it('stops at the limit, also in a file that was smaller when it was listed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dowser-hash-'));
  const file = join(folder, 'a.txt');
  await writeFile(file, 'abc');
  const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  expect(await hashFile(file, 3)).toBe(ABC);
  expect(await hashFile(file, 2)).toBe('');
  await rm(folder, { recursive: true });
});
