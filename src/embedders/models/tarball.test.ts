import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TarItem, tarOf, tgzOf } from '../../../test/support/tar-archive.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { type ReadTarballOptions, readTarball } from './tarball.ts';

let dir: string;
let tarball: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-tar-'));
  tarball = join(dir, 'x.tgz');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function read(bytes: Uint8Array, options?: ReadTarballOptions): Promise<readonly [string, string][]> {
  await writeFile(tarball, bytes);
  const files = await readTarball(tarball, () => true, options);
  return files.map(({ name, data }) => [name, Buffer.from(data).toString()]);
}

const FILES: readonly TarItem[] = [
  { name: 'package/a.txt', body: 'alpha' },
  { name: 'package/empty', body: '' },
  { name: 'package/full-block', body: 'x'.repeat(512) },
  { name: 'package/b.txt', body: 'beta'.repeat(40_000) },
];

describe('readTarball', () => {
  it('reads the files of an archive', async () => {
    expect(await read(tgzOf(FILES))).toEqual(FILES.map(({ name, body }) => [name, body]));
  });

  it('returns only the wanted files, and tells their size before it reads them', async () => {
    await writeFile(tarball, tgzOf(FILES));
    const sizes: number[] = [];
    const files = await readTarball(tarball, (name, bytes) => {
      sizes.push(bytes);
      return name === 'package/a.txt';
    });
    expect(sizes).toEqual([5, 0, 512, 160_000]);
    expect(files.map(({ name }) => name)).toEqual(['package/a.txt']);
  });

  it('reads long names of pax and GNU', async () => {
    const long = `package/${'deep/'.repeat(40)}file`;
    const pax = `path=${long}\n`;
    const archive = tgzOf([
      { name: 'PaxHeader', type: 'x', body: `${pax.length + 4} ${pax}` },
      { name: 'short', body: 'pax' },
      { name: '././@LongLink', type: 'L', body: `${long}\0` },
      { name: 'short', body: 'gnu' },
    ]);
    expect(await read(archive)).toEqual([
      [long, 'pax'],
      [long, 'gnu'],
    ]);
  });

  it('skips folders, links and global headers', async () => {
    const archive = tgzOf([
      { name: 'package/', type: '5' },
      { name: 'package/symbolic', type: '2' },
      { name: 'package/hard', type: '1' },
      { name: 'pax_global_header', type: 'g', body: '12 comment=x\n' },
      { name: 'package/real', body: 'yes' },
    ]);
    expect(await read(archive)).toEqual([['package/real', 'yes']]);
  });

  it('gives no name that leaves a folder', async () => {
    const archive = tgzOf([
      { name: '../../outside', body: '1' },
      { name: '/etc/outside', body: '2' },
      { name: 'package/../../outside', body: '3' },
    ]);
    expect((await read(archive)).map(([name]) => name)).toEqual(['outside', 'etc/outside', 'outside']);
  });

  it('refuses a file that is not gzip, or is cut short', async () => {
    await expect(read(Buffer.from('<html>sign in to the network</html>'))).rejects.toThrow('incorrect header check');
    const whole = tgzOf(FILES);
    await expect(read(whole.subarray(0, whole.length - 8))).rejects.toThrow('unexpected end of file');
  });

  it('refuses an archive that ends inside a file', async () => {
    const archive = tarOf(FILES);
    await expect(read(gzipSync(archive.subarray(0, archive.length - 2048)))).rejects.toThrow('damaged or incomplete');
  });

  it.each([
    ['-0000001000', '0'],
    ['-0000001000', 'x'],
    ['-0000001000', 'L'],
    ['-0000000001', '0'],
    ['????????????', '0'],
  ])('refuses the size %s of an entry of type %s, and does not hang', async (size, type) => {
    await writeFile(tarball, tgzOf([{ name: 'package/a', type, size }, ...FILES]));
    let calls = 0;
    const wantNone = () => {
      if (++calls > 10) throw new DowserError('INTERNAL', 'It reads the same header again and again.');
      return false;
    };
    await expect(readTarball(tarball, wantNone)).rejects.toThrow('damaged or incomplete');
  });

  it('refuses a size beyond the end of the archive', async () => {
    await expect(read(tgzOf([{ name: 'package/a', size: '77777777777' }]))).rejects.toThrow('damaged or incomplete');
  });

  it('stops unpacking at the limit', async () => {
    const bomb = tgzOf([{ name: 'package/zeros', body: Buffer.alloc(10_000_000) }]);
    expect(bomb.length).toBeLessThan(20_000);
    await expect(read(bomb, { maxBytes: 1_000_000 })).rejects.toThrow('unpacks to more than 1000000 bytes');
    expect(await read(tgzOf(FILES), { maxBytes: tarOf(FILES).length })).toHaveLength(FILES.length);
  });

  it('passes on what `wants` throws', async () => {
    await writeFile(tarball, tgzOf(FILES));
    const refuse = () => {
      throw new DowserError('MODEL_CORRUPT', 'wrong size');
    };
    await expect(readTarball(tarball, refuse)).rejects.toThrow('wrong size');
  });

  it('stops when aborted', async () => {
    await expect(read(tgzOf(FILES), { signal: AbortSignal.abort() })).rejects.toThrow('abort');
  });
});
