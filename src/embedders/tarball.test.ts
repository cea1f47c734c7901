import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tarOf, tgzOf } from '../../test/support/tar-archive.ts';
import { extractFiles, TarError, tarEntries } from './tarball.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function listed(archive: Buffer, pieceSize = archive.length): Promise<readonly [string, string][]> {
  const found: [string, string][] = [];
  for await (const entry of tarEntries(inPieces(archive, pieceSize))) {
    const parts: Uint8Array[] = [];
    for await (const part of entry.body) parts.push(part);
    found.push([entry.name, Buffer.concat(parts).toString()]);
  }
  return found;
}

describe('tarEntries', () => {
  const files = [
    { name: 'package/a.txt', body: 'alpha' },
    { name: 'package/empty', body: '' },
    { name: 'package/full-block', body: 'x'.repeat(512) },
    { name: 'package/b.txt', body: 'beta'.repeat(400) },
  ];

  it.each([1, 7, 511, 512, 513, 100_000])('reads the same files from pieces of %i bytes', async (size) => {
    expect(await listed(tarOf(files), size)).toEqual(files.map(({ name, body }) => [name, body]));
  });

  it('passes over what the reader leaves unread, whole or half', async () => {
    const names: string[] = [];
    for await (const entry of tarEntries(inPieces(tarOf(files), 100))) {
      names.push(entry.name);
      for await (const _ of entry.body) break;
    }
    expect(names).toEqual(files.map((file) => file.name));
  });

  it('reads long names in all three spellings', async () => {
    const long = `package/${'deep/'.repeat(40)}file`;
    const pax = `path=${long}\n`;
    const record = `${String(pax.length + 4)} ${pax}`;
    expect(
      await listed(
        tarOf([
          { name: 'PaxHeader', type: 'x', body: record },
          { name: 'short', body: 'pax' },
          { name: '././@LongLink', type: 'L', body: `${long}\0` },
          { name: 'short', body: 'gnu' },
          { name: 'file', prefix: 'package/prefix', body: 'ustar' },
        ]),
      ),
    ).toEqual([
      [long, 'pax'],
      [long, 'gnu'],
      ['package/prefix/file', 'ustar'],
    ]);
  });

  it('passes over folders, links and global headers', async () => {
    const archive = tarOf([
      { name: 'package/', type: '5' },
      { name: 'package/link', type: '2' },
      { name: 'pax_global_header', type: 'g', body: '12 comment=x\n' },
      { name: 'package/real', body: 'yes' },
    ]);
    expect(await listed(archive)).toEqual([['package/real', 'yes']]);
  });

  it('says so when the archive ends early', async () => {
    const archive = tarOf(files);
    for (const length of [100, 512, 600, archive.length - 1024]) {
      await expect(listed(archive.subarray(0, length))).rejects.toThrow(TarError);
    }
  });

  it('says so when a header is damaged', async () => {
    const archive = tarOf(files);
    archive[3] = archive[3]! ^ 1;
    await expect(listed(archive)).rejects.toThrow('wrong checksum');
  });
});

describe('extractFiles', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dowser-tar-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('writes only where it is told, whatever the archive calls its files', async () => {
    const tarball = join(dir, 'x.tgz');
    await writeFile(
      tarball,
      tgzOf([
        { name: '../../outside', body: 'bad' },
        { name: '/etc/outside', body: 'bad' },
        { name: 'package/wanted', body: 'good' },
      ]),
    );
    const asked: string[] = [];
    const files = await extractFiles(tarball, (name) => {
      asked.push(name);
      return name === 'package/wanted' ? join(dir, 'out', 'wanted') : undefined;
    });
    expect(asked).toEqual(['../../outside', '/etc/outside', 'package/wanted']);
    expect(files).toEqual([
      {
        name: 'package/wanted',
        path: join(dir, 'out', 'wanted'),
        bytes: 4,
        sha256: createHash('sha256').update('good').digest('hex'),
      },
    ]);
    expect(await readFile(join(dir, 'out', 'wanted'), 'utf8')).toBe('good');
  });

  it('rejects a file that is not gzip, and one cut short', async () => {
    const tarball = join(dir, 'x.tgz');
    await writeFile(tarball, '<html>sign in to the network</html>');
    await expect(extractFiles(tarball, () => undefined)).rejects.toThrow('incorrect header check');
    const whole = tgzOf([{ name: 'package/a', body: 'a'.repeat(5000) }]);
    await writeFile(tarball, whole.subarray(0, whole.length - 8));
    await expect(extractFiles(tarball, () => undefined)).rejects.toThrow();
  });

  it('stops when aborted', async () => {
    const tarball = join(dir, 'x.tgz');
    await writeFile(tarball, tgzOf([{ name: 'package/a', body: 'a' }]));
    await expect(extractFiles(tarball, () => undefined, AbortSignal.abort())).rejects.toThrow('abort');
  });
});
