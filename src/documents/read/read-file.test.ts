import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readWholeFile } from './read-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'dowser-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('readWholeFile', () => {
  it('gives the bytes of a file with a name in any script', async () => {
    for (const name of ['a.txt', 'Handbuch für 東京 😀.md', "it's; $(x) `y`.txt"]) {
      expect(Buffer.from(await readWholeFile(file(name, 'text'), 100)).toString()).toBe('text');
    }
  });

  it('refuses a file above the limit without reading it', async () => {
    const path = file('large.txt', '');
    truncateSync(path, 2_000_000_000);
    await expect(readWholeFile(path, 1000)).rejects.toMatchObject({
      code: 'too_large',
      message: 'large.txt has 2000000000 bytes, and the limit is 1000. Raise the limit, or split the file into parts.',
    });
  });

  it('names what is no file', async () => {
    await expect(readWholeFile(folder, 100)).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(readWholeFile(join(folder, 'gone.txt'), 100)).rejects.toMatchObject({ code: 'not_found' });
    await expect(readWholeFile(join(file('a.txt', 'x'), 'below.txt'), 100)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it.runIf(process.platform !== 'win32')('does not wait for a pipe', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(readWholeFile(pipe, 100)).rejects.toMatchObject({ code: 'not_a_file' });
  });

  it('reads again when the file has grown, and gives up if it goes on', async () => {
    const path = file('growing.txt', 'a');
    let looks = 0;
    const grow = (times: number) => () => {
      if (looks++ < times) appendFileSync(path, 'b');
    };
    expect(Buffer.from(await readWholeFile(path, 100, grow(1))).toString()).toBe('ab');
    looks = 0;
    await expect(readWholeFile(path, 100, grow(99))).rejects.toMatchObject({
      code: 'changed',
      message: 'growing.txt changed while it was read. Scan again later.',
    });
  });

  it('notices a file that became shorter', async () => {
    const path = file('shrinking.txt', 'abcdef');
    let looks = 0;
    const shrinkOnce = () => {
      if (looks++ === 0) truncateSync(path, 2);
    };
    expect(Buffer.from(await readWholeFile(path, 100, shrinkOnce)).toString()).toBe('ab');
  });
});
