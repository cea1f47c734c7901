import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tgzOf } from '../../../test/support/tar-archive.ts';
import type { PinnedFolder } from '../models/known-models.ts';
import type { PackageRequest, PackageSource } from '../models/package-source.ts';
import { ensureRuntime, findRuntime, runtimeFor } from './runtime-store.ts';

const BINDING = 'a native library';
const runtime: PinnedFolder = {
  name: 'onnxruntime-test',
  kind: 'runtime',
  packages: [
    {
      package: 'onnxruntime-node@0.0.0',
      folder: 'package/bin',
      files: [
        {
          name: 'onnxruntime_binding.node',
          bytes: BINDING.length,
          sha256: createHash('sha256').update(BINDING).digest('hex'),
        },
      ],
    },
  ],
};

let modelsDir: string;
let asked: string[];
beforeEach(async () => {
  modelsDir = await mkdtemp(join(tmpdir(), 'dowser-runtime-'));
  asked = [];
});
afterEach(() => rm(modelsDir, { recursive: true, force: true }));

/** A registry whose package has this library, and those of other systems. */
const sourceOf = (library: string): PackageSource => {
  const give = async ({ package: name, dir }: PackageRequest) => {
    asked.push(name);
    const path = join(dir, 'x.tgz');
    await writeFile(
      path,
      tgzOf([
        { name: 'package/other/onnxruntime_binding.node', body: 'of another system' },
        { name: 'package/bin/onnxruntime_binding.node', body: library },
      ]),
    );
    return path;
  };
  return { fromCache: async () => null, fromNetwork: give };
};

describe('ensureRuntime', () => {
  it('fetches the library of this system once, and keeps nothing else', async () => {
    const options = { modelsDir, runtime, source: sourceOf(BINDING) };
    expect((await findRuntime(options)).state).toBe('missing');
    const path = await ensureRuntime(options);
    expect(await readFile(path, 'utf8')).toBe(BINDING);
    expect(await ensureRuntime(options)).toBe(path);
    expect(asked).toEqual(['onnxruntime-node@0.0.0']);
    expect(await findRuntime(options)).toMatchObject({ state: 'good', dir: join(modelsDir, 'onnxruntime-test') });
  });

  it('refuses a library that is not the pinned one: it would run in this process', async () => {
    const options = { modelsDir, runtime, source: sourceOf('A NATIVE LIBRARY') };
    await expect(ensureRuntime(options)).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
    expect((await findRuntime(options)).state).toBe('missing');
  });

  it('replaces one that was changed on disk', async () => {
    const options = { modelsDir, runtime, source: sourceOf(BINDING) };
    const path = await ensureRuntime(options);
    await writeFile(path, 'something else');
    expect((await findRuntime(options)).state).toBe('corrupt');
    expect(await readFile(await ensureRuntime(options), 'utf8')).toBe(BINDING);
  });

  it('says what is missing, and where it belongs, if it may not fetch', async () => {
    await expect(ensureRuntime({ modelsDir, runtime, download: false })).rejects.toMatchObject({
      code: 'MODEL_MISSING',
      message: `The model runtime onnxruntime-test is not in ${join(modelsDir, 'onnxruntime-test')}.`,
      hint: expect.stringContaining('dowser model pull'),
    });
  });
});

describe('a store that is copied to another machine', () => {
  it('gets a runtime of its own, also where the usual store has one', async () => {
    const cache = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = join(modelsDir, 'cache');
    try {
      const usual = await ensureRuntime({ runtime, source: sourceOf(BINDING) });
      const options = { modelsDir: join(modelsDir, 'copied'), runtime, source: sourceOf(BINDING) };
      expect(await ensureRuntime(options)).toBe(usual);
      expect(await ensureRuntime({ ...options, shared: false })).toContain('copied');
    } finally {
      if (cache === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = cache;
    }
  });
});

describe('runtimeFor', () => {
  it.each(['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'])('has a build for %s', (system) => {
    const [platform, arch] = system.split('-') as [NodeJS.Platform, string];
    const { name, packages } = runtimeFor(platform, arch);
    expect(name).toBe(`onnxruntime-1.30.0-${system}`);
    expect(packages[0].folder).toBe(`package/bin/napi-v6/${platform}/${arch}`);
  });

  it('names the systems that have one, if this has none', () => {
    expect(() => runtimeFor('darwin', 'x64')).toThrow('ONNX Runtime has no build for darwin-x64.');
  });
});
