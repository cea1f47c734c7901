import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkUtf8 } from './utf8-file.ts';

let file: string;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-utf8-'));
  file = join(dir, 'a.jsonl');
});
afterEach(() => rm(dir, { recursive: true }));

/** Longer than a chunk, so that characters and lines are cut by its end. */
const long = 'é'.repeat((1 << 20) - 1);

describe('checkUtf8', () => {
  it.each([
    ['nothing', ''],
    ['no line feed at the end', '{"a": "日本"}'],
    ['a byte order mark', '\uFEFF{}\n'],
    ['a replacement character that was written', '{"a": "\uFFFD"}\n'],
    ['a line longer than a chunk', `x${long}\ny${long}`],
  ])('takes a file with %s', async (_, text) => {
    await writeFile(file, text);
    await expect(checkUtf8(file)).resolves.toBeUndefined();
  });

  it.each([
    ['Latin-1', Buffer.concat([Buffer.from('{}\n{}\n'), Buffer.from('{"a": "café"}\n{}', 'latin1')]), 3, 'ISO-8859-1'],
    ['a character cut off at the end', Buffer.from('{}\né').subarray(0, 4), 2, 'ISO-8859-1'],
    ['after a long line', Buffer.concat([Buffer.from(`x${long}\n`), Buffer.from([0xff])]), 2, 'ISO-8859-1'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 1, 'UTF-16'],
  ])('refuses %s with the line and what to do', async (_, bytes, line, likely) => {
    await writeFile(file, bytes);
    await expect(checkUtf8(file)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringContaining(`Line ${line} of ${file} is not UTF-8`),
      hint: expect.stringContaining(likely),
    });
  });

  it.each([
    ['a packed file', gzipSync('{}\n'.repeat(100)), 'gunzip'],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00]), 'JSON Lines'],
  ])('tells %s from text', async (_, bytes, hint) => {
    await writeFile(file, bytes);
    await expect(checkUtf8(file)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: `${file} is not a text file. Nothing was imported.`,
      hint: expect.stringContaining(hint),
    });
  });

  it('says so when it cannot read', async () => {
    await expect(checkUtf8(dir)).rejects.toMatchObject({ code: 'INVALID_FILE' });
  });
});
