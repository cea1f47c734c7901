import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TarItem, tgzOf } from '../../../test/support/tar-archive.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { KnownModel, ModelPackage } from './known-models.ts';
import { ensureModel, listModels, modelsDirectory } from './model-store.ts';
import type { PackageRequest, PackageSource } from './package-source.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const pin = (name: string, text: string) => ({ name, bytes: Buffer.byteLength(text), sha256: sha256(text) });

const FILES = {
  'onnx/model.onnx': 'weights '.repeat(1000),
  'tokenizer.json': '{"t":1}',
  'tokenizer_config.json': '{}',
};
const packageOf = (name: string, files: Readonly<Record<string, string>> = FILES): ModelPackage => ({
  package: `${name}@1.0.0`,
  folder: 'package/model',
  files: Object.entries(files).map(([file, text]) => pin(file, text)),
});
const MODEL: KnownModel = {
  name: 'tiny',
  dimensions: 3,
  maxTokens: 8,
  language: 'English',
  license: 'MIT',
  weights: 'onnx/model.onnx',
  packages: [packageOf('first'), packageOf('second', { ...FILES, 'tokenizer.json': '{ "t": 1 }' })],
};
const SECOND_FILES = { ...FILES, 'tokenizer.json': '{ "t": 1 }' };

const archive = (files: Readonly<Record<string, string>>, extra: readonly TarItem[] = []) =>
  tgzOf([...extra, ...Object.entries(files).map(([name, body]) => ({ name: `package/model/${name}`, body }))]);

let modelsDir: string;
let requests: string[];

beforeEach(async () => {
  modelsDir = join(await mkdtemp(join(tmpdir(), 'dowser-store-')), 'models');
  requests = [];
});
afterEach(() => rm(dirname(modelsDir), { recursive: true, force: true }));

type Answer = Buffer | null | Error;

/** Answers by `cache:first@1.0.0` or `network:first@1.0.0`; nothing is cached and nothing reachable unless said. */
function sourceOf(answers: Readonly<Record<string, Answer>>): PackageSource {
  const give = async (key: string, request: PackageRequest, otherwise: Answer): Promise<string | null> => {
    requests.push(key);
    const answer = answers[key] ?? otherwise;
    if (answer === null) return null;
    if (answer instanceof Error) throw answer;
    const path = join(request.dir, 'x.tgz');
    await writeFile(path, answer);
    request.onBytes?.(answer.length, answer.length);
    return path;
  };
  const offline = new DowserError('MODEL_DOWNLOAD_FAILED', 'npm failed with ENOTFOUND.');
  return {
    fromCache: (request) => give(`cache:${request.package}`, request, null),
    fromNetwork: async (request) => (await give(`network:${request.package}`, request, offline))!,
  };
}

const ensure = (answers: Readonly<Record<string, Answer>>, options: Parameters<typeof ensureModel>[1] = {}) =>
  ensureModel('tiny', { models: [MODEL], modelsDir, source: sourceOf(answers), ...options });

const NETWORK_HAS_IT = { 'network:first@1.0.0': archive(FILES) };

describe('ensureModel', () => {
  it('fetches, checks and keeps a model, then never asks again', async () => {
    const model = await ensure(NETWORK_HAS_IT);
    expect(model).toMatchObject({ name: 'tiny', dimensions: 3, maxTokens: 8, dir: join(modelsDir, 'tiny') });
    expect(await readFile(model.weights, 'utf8')).toBe(FILES['onnx/model.onnx']);
    expect(requests).toEqual(['cache:first@1.0.0', 'cache:second@1.0.0', 'network:first@1.0.0']);
    requests = [];
    expect(await ensure({})).toEqual(model);
    expect(requests).toEqual([]);
    expect(await readdir(modelsDir)).toEqual(['tiny']);
  });

  it('takes what is on this machine before it asks the network', async () => {
    await ensure({ 'cache:second@1.0.0': archive(SECOND_FILES) });
    expect(requests).toEqual(['cache:first@1.0.0', 'cache:second@1.0.0']);
  });

  it('takes another package when the first is gone or holds other bytes', async () => {
    const gone = new DowserError('MODEL_DOWNLOAD_FAILED', 'npm failed with E404.');
    await ensure({ 'network:first@1.0.0': gone, 'network:second@1.0.0': archive(SECOND_FILES) });
    await rm(modelsDir, { recursive: true });
    const other = archive({ ...FILES, 'tokenizer.json': '{"t":2}' });
    const model = await ensure({ 'network:first@1.0.0': other, 'network:second@1.0.0': archive(SECOND_FILES) });
    expect(await readFile(model.tokenizer, 'utf8')).toBe('{ "t": 1 }');
  });

  it('accepts files that were copied in by hand', async () => {
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(modelsDir, 'tiny', name)), { recursive: true });
      await writeFile(join(modelsDir, 'tiny', name), text);
    }
    await ensure({}, { download: false });
    expect(requests).toEqual([]);
  });

  it('reports what it does', async () => {
    const phases: string[] = [];
    await ensure(NETWORK_HAS_IT, {
      onProgress: ({ phase, doneBytes }) => phases.push(`${phase} ${doneBytes ?? ''}`.trim()),
    });
    const bytes = NETWORK_HAS_IT['network:first@1.0.0'].length;
    expect(phases).toEqual(['looking', 'downloading', `downloading ${bytes}`, 'unpacking']);
  });

  it('says what to do when it cannot fetch', async () => {
    await expect(ensure({})).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      message: expect.stringContaining('npm failed with ENOTFOUND'),
      hint: `Run \`dowser model pull\` with network access, or copy onnx/model.onnx, tokenizer.json, tokenizer_config.json to ${join(modelsDir, 'tiny')}.`,
    });
    expect(await readdir(modelsDir)).toEqual([]);
  });

  it('does not fetch when told not to', async () => {
    await expect(ensure(NETWORK_HAS_IT, { download: false })).rejects.toMatchObject({ code: 'MODEL_MISSING' });
    expect(requests).toEqual([]);
  });

  it('names the file, the checksum wanted and the one found', async () => {
    const other = archive({ ...FILES, 'tokenizer.json': '{"t":2}' });
    await expect(ensure({ 'network:first@1.0.0': other })).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      message: `package/model/tokenizer.json of first@1.0.0 should have sha256 ${sha256('{"t":1}')} but has sha256 ${sha256('{"t":2}')}.`,
    });
    expect(await readdir(modelsDir)).toEqual([]);
  });

  it('refuses a file of the wrong size before writing it, and an archive without it', async () => {
    const huge = archive({ ...FILES, 'tokenizer.json': 'x'.repeat(100_000) });
    await expect(ensure({ 'network:first@1.0.0': huge })).rejects.toThrow('should have 7 bytes but has 100000 bytes');
    const { 'tokenizer.json': _, ...rest } = FILES;
    await expect(ensure({ 'network:first@1.0.0': archive(rest) })).rejects.toThrow('should have a file but has none');
  });

  it('takes the first of two entries with one name', async () => {
    const twice = tgzOf([
      ...Object.entries(FILES).map(([name, body]) => ({ name: `package/model/${name}`, body })),
      { name: 'package/model/tokenizer.json', body: 'another' },
    ]);
    const model = await ensure({ 'network:first@1.0.0': twice });
    expect(await readFile(model.tokenizer, 'utf8')).toBe(FILES['tokenizer.json']);
  });

  it('repairs a damaged file, and says which when it cannot', async () => {
    const { weights } = await ensure(NETWORK_HAS_IT);
    await writeFile(weights, 'short');
    await expect(ensure({}, { download: false })).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      message: `${weights} should have 8000 bytes but has 5 bytes.`,
    });
    await expect(ensure({})).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      message: expect.stringContaining('Fetching it again failed'),
    });
    await ensure(NETWORK_HAS_IT);
    expect(await readFile(weights, 'utf8')).toBe(FILES['onnx/model.onnx']);
  });

  it('hashes again when a file of the right size has another time', async () => {
    const { weights } = await ensure(NETWORK_HAS_IT);
    const { mtime } = await stat(weights);
    await writeFile(weights, FILES['onnx/model.onnx'].toUpperCase());
    await utimes(weights, mtime, new Date(mtime.getTime() + 5000));
    await expect(ensure({}, { download: false })).rejects.toThrow('should have sha256');
  });

  it('trusts what it has hashed: a start looks at sizes and times only', async () => {
    const { weights } = await ensure(NETWORK_HAS_IT);
    const time = new Date('2026-01-02T03:04:05Z');
    await utimes(weights, time, time);
    await ensure({});
    await writeFile(weights, FILES['onnx/model.onnx'].toUpperCase());
    await utimes(weights, time, time);
    await ensure({}, { download: false });
  });

  it('tells a full disk from other trouble', async () => {
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    await expect(ensure({ 'network:first@1.0.0': full })).rejects.toMatchObject({ code: 'STORE_FULL' });
    const npmFull = new DowserError('MODEL_DOWNLOAD_FAILED', 'npm failed.', { details: { reason: 'ENOSPC' } });
    await expect(ensure({ 'network:first@1.0.0': npmFull })).rejects.toMatchObject({ code: 'STORE_FULL' });
  });

  it('asks for another folder when this one cannot be made', async () => {
    await mkdir(dirname(modelsDir), { recursive: true });
    await writeFile(modelsDir, 'a file, not a folder');
    await expect(ensure(NETWORK_HAS_IT)).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      message: `The embedding model tiny could not be fetched: ${modelsDir} is not a writable folder (EEXIST).`,
      hint: expect.stringContaining('DOWSER_MODELS'),
    });
  });

  it('removes what a killed process left, and nothing of a living one', async () => {
    const left = [`.incoming-${hostname()}-999999999-aa`, `.incoming-elsewhere-1-bb`];
    const living = [`.incoming-${hostname()}-${process.pid}-cc`, '.incoming-elsewhere-1-dd'];
    for (const name of [...left, ...living]) await mkdir(join(modelsDir, name), { recursive: true });
    await utimes(join(modelsDir, left[1]!), new Date(0), new Date(0));
    await ensure(NETWORK_HAS_IT);
    expect((await readdir(modelsDir)).sort()).toEqual([...living, 'tiny'].sort());
  });

  it('lets many run at once', async () => {
    const models = await Promise.all(Array.from({ length: 8 }, () => ensure(NETWORK_HAS_IT)));
    expect(new Set(models.map((model) => model.dir)).size).toBe(1);
    expect(await readdir(modelsDir)).toEqual(['tiny']);
    expect(await readFile(models[0]!.weights, 'utf8')).toBe(FILES['onnx/model.onnx']);
  });

  it('stops when aborted and leaves nothing', async () => {
    const stop = new AbortController();
    const source = sourceOf(NETWORK_HAS_IT);
    const fromNetwork = (request: PackageRequest) => {
      stop.abort(new Error('enough'));
      return source.fromNetwork(request);
    };
    const run = ensure({}, { signal: stop.signal, source: { ...source, fromNetwork } });
    await expect(run).rejects.toThrow('enough');
    expect(await readdir(modelsDir)).toEqual([]);
  });

  it('names the models there are when asked for another', async () => {
    await expect(ensureModel('gte-huge', { modelsDir })).rejects.toMatchObject({
      code: 'INVALID_SETTING',
      hint: expect.stringContaining('dowser-tools-1, all-MiniLM-L6-v2, gte-small'),
    });
  });
});

describe('listModels', () => {
  it('says of each model whether it is here', async () => {
    expect(await listModels({ models: [MODEL], modelsDir })).toMatchObject([{ state: 'missing', bytes: 8009 }]);
    await ensure(NETWORK_HAS_IT);
    expect(await listModels({ models: [MODEL], modelsDir })).toMatchObject([
      { state: 'good', model: { name: 'tiny' } },
    ]);
  });
});

describe('modelsDirectory', () => {
  const home = '/home/someone';
  it.each([
    ['linux', {}, '/home/someone/.cache/dowser/models'],
    ['linux', { XDG_CACHE_HOME: '/var/cache' }, '/var/cache/dowser/models'],
    ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/someone/.cache/dowser/models'],
    ['darwin', { XDG_CACHE_HOME: '/var/cache' }, '/home/someone/Library/Caches/dowser/models'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/dowser/models'],
    ['win32', {}, '/home/someone/AppData/Local/dowser/models'],
  ] as const)('on %s with %o is %s', (platform, env, expected) => {
    expect(modelsDirectory(env, platform, home)).toBe(join(expected));
  });
});
