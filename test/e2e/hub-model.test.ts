import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureModel } from '../../src/embedders/models/model-store.ts';
import { addHubModel, type HubModelOptions } from '../../src/embedders/open/hub-model.ts';
import { writeTinyModel } from '../support/tiny-model.ts';

/** A server with the routes of the hub: metadata with blobs, and files behind a redirect to another host, with ranges. */
const COMMIT = 'c'.repeat(40);
const NAMED = 'hf:acme/multilingual-e5-tiny';
const files = new Map<string, Buffer>();
/** Kept by the hub as large files, whose SHA-256 it knows. */
const LARGE = ['onnx/model.onnx', 'tokenizer.json'];

interface Asked {
  readonly file: string;
  readonly range: string | undefined;
}
let asked: Asked[];
/** What goes wrong, by file: how many bytes arrive before the connection ends, once for each number. */
let cuts: Map<string, number[]>;
/** Connections that end once what they sent has arrived. */
const held: ServerResponse[] = [];
let metadata: (fields: Record<string, unknown>) => unknown;
let knowsRanges: boolean;

const git = (bytes: Buffer) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function describeModel(): Record<string, unknown> {
  const siblings = [...files].map(([rfilename, bytes]) => ({
    rfilename,
    size: bytes.length,
    blobId: git(bytes),
    ...(LARGE.includes(rfilename) ? { lfs: { sha256: sha256(bytes), size: bytes.length, pointerSize: 133 } } : {}),
  }));
  return { id: 'acme/multilingual-e5-tiny', sha: COMMIT, cardData: { license: 'mit' }, siblings };
}

const hub = createServer((request, response) => {
  const url = new URL(request.url!, 'http://hub');
  const revision = /^\/api\/models\/acme\/multilingual-e5-tiny\/revision\/(.+)$/.exec(url.pathname)?.[1];
  if (revision !== undefined) {
    const isKnown = ['main', 'v1', COMMIT].includes(decodeURIComponent(revision));
    if (!isKnown || url.searchParams.get('blobs') !== 'true') return void response.writeHead(404).end('{}');
    return void response.end(JSON.stringify(metadata(describeModel())));
  }
  const file = url.pathname.split(`/acme/multilingual-e5-tiny/resolve/${COMMIT}/`)[1];
  if (file === undefined || !files.has(file)) return void response.writeHead(404).end();
  response.writeHead(302, { location: `${cdnUrl}/${file}` }).end();
});

const cdn = createServer((request: IncomingMessage, response: ServerResponse) => {
  const file = request.url!.slice(1);
  const { range } = request.headers;
  asked.push({ file, range });
  const whole = files.get(file)!;
  const from = range !== undefined && knowsRanges ? Number(/^bytes=(\d+)-$/.exec(range)![1]) : 0;
  const rest = whole.subarray(from);
  const cut = cuts.get(file)?.shift();
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length });
  if (cut === undefined) return void response.end(rest);
  if (cut === 0) return void response.destroy();
  response.write(rest.subarray(0, cut));
  held.push(response);
});

let url: string;
let cdnUrl: string;
const listen = async (server: typeof hub) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

let work: string;
let modelsDir: string;
beforeAll(async () => {
  [url, cdnUrl] = [await listen(hub), await listen(cdn)];
  work = await mkdtemp(join(tmpdir(), 'dowser-hub-'));
  const folder = join(work, 'published');
  await writeTinyModel(folder);
  for (const name of ['config.json', 'tokenizer_config.json', ...LARGE])
    files.set(name, await readFile(join(folder, name)));
  files.set('README.md', Buffer.from('not needed'));
});
afterAll(async () => {
  for (const server of [hub, cdn]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(work, { recursive: true, force: true });
});
beforeEach(async () => {
  modelsDir = await mkdtemp(join(work, 'models-'));
  [asked, cuts, knowsRanges] = [[], new Map(), true];
  metadata = (fields) => fields;
});

const add = (named = NAMED, options: HubModelOptions = {}) => {
  const onProgress = () => {
    for (const response of held.splice(0)) response.destroy();
  };
  return addHubModel(named, { modelsDir, endpoint: url, onProgress, ...options });
};
const unfinished = () => readdir(join(modelsDir, '.hub')).catch(() => []);

describe('a model of the hub', () => {
  it('is downloaded, checked, run once and pinned to its commit', async () => {
    const model = await add();
    expect(model).toMatchObject({
      name: `multilingual-e5-tiny-${sha256(files.get('onnx/model.onnx')!).slice(0, 8)}`,
      from: `${NAMED}@${COMMIT}`,
      license: 'mit',
      prefixes: { query: 'query: ', document: 'passage: ' },
    });
    expect(asked.map(({ file }) => file).sort()).toEqual(
      [...files.keys()].filter((name) => name !== 'README.md').sort(),
    );
    expect((await ensureModel('multilingual-e5-tiny', { modelsDir, download: false })).name).toBe(model.name);
    expect(await unfinished()).toEqual([]);
    await writeFile(join(modelsDir, model.name, 'tokenizer.json'), '{}');
    await expect(ensureModel(model.name, { modelsDir })).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      hint: `Add it again with \`dowser model use ${NAMED}@${COMMIT}\`.`,
    });
  });

  it.each(['v1', COMMIT])('is taken at a revision: %s', async (revision) => {
    expect((await add(`${NAMED}@${revision}`)).from).toBe(`${NAMED}@${COMMIT}`);
  });

  it('goes on after a broken connection, where it was', async () => {
    cuts.set('tokenizer.json', [100, 50]);
    await add();
    expect(asked.filter(({ file }) => file === 'tokenizer.json').map(({ range }) => range)).toEqual([
      undefined,
      'bytes=100-',
      'bytes=150-',
    ]);
  });

  it('goes on in the next call, and begins again where the host knows no ranges', async () => {
    for (const knows of [true, false]) {
      knowsRanges = knows;
      cuts.set('tokenizer.json', knows ? [100, 0, 0, 0] : [100, 100, 100, 100]);
      await expect(add()).rejects.toMatchObject({ code: 'MODEL_DOWNLOAD_FAILED' });
      expect(await unfinished()).toEqual([COMMIT]);
      asked = [];
      await add();
      expect(asked.filter(({ file }) => ['config.json', 'tokenizer.json'].includes(file))).toEqual([
        { file: 'tokenizer.json', range: 'bytes=100-' },
      ]);
      await rm(modelsDir, { recursive: true });
    }
  });

  it('takes over what a killed process has left', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    cuts.set('tokenizer.json', [100, 0, 0, 0]);
    await expect(add()).rejects.toMatchObject({ code: 'MODEL_DOWNLOAD_FAILED' });
    const left = join(modelsDir, '.hub', COMMIT);
    await rename(left, `${left}.claimed-${hostname()}-${pid}-0a0b0c0d`);
    asked = [];
    await add();
    expect(asked[0]).toEqual({ file: 'tokenizer.json', range: 'bytes=100-' });
  });

  it.each(LARGE.concat('config.json'))(
    'is refused, and not kept, where %s is not what the hub describes',
    async (file) => {
      const sound = files.get(file)!;
      metadata = (fields) => fields;
      const described = describeModel();
      metadata = () => described;
      files.set(file, Buffer.from(sound).fill(0x20, 0, 1));
      try {
        await expect(add()).rejects.toMatchObject({
          code: 'MODEL_CORRUPT',
          message: expect.stringMatching(new RegExp(`^${file} should have (sha256|git) [0-9a-f]+ but has [0-9a-f]+`)),
        });
      } finally {
        files.set(file, sound);
      }
      asked = [];
      await add();
      expect(asked.map((one) => one.file)).toContain(file);
    },
  );
});

describe('what is no model of the hub', () => {
  it.each([
    'hf:',
    'hf:acme',
    'hf:../..',
    'hf:acme/..',
    'hf:a/b/c',
    'hf:acme/x@',
    'hf:acme/x@../../other',
    'hf:acme/x@main@main',
    `hf:${'a'.repeat(500)}/x`,
  ])('is refused before anything is asked: %s', async (named) => {
    await expect(add(named)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('does not name'),
    });
    expect(await readdir(modelsDir)).toEqual([]);
  });

  it.each(['http://models.example.com', 'ftp://127.0.0.1', 'no address'])('HF_ENDPOINT=%s', async (endpoint) => {
    await expect(add(NAMED, { endpoint })).rejects.toMatchObject({ code: 'INVALID_SETTING' });
  });

  it.each<[string, Record<string, unknown>, object]>([
    [
      'no weights',
      { siblings: [{ rfilename: 'pytorch_model.bin' }] },
      {
        code: 'INVALID_REQUEST',
        message: 'The model acme/multilingual-e5-tiny has no onnx/model_quantized.onnx and no onnx/model.onnx.',
      },
    ],
    ['no commit', { sha: 'main' }, { code: 'MODEL_DOWNLOAD_FAILED' }],
    ['no checksum', { siblings: [{ rfilename: 'onnx/model.onnx', size: 3 }] }, { code: 'MODEL_DOWNLOAD_FAILED' }],
    [
      '3 GB',
      { siblings: [{ rfilename: 'onnx/model.onnx', lfs: { sha256: 'a'.repeat(64), size: 3e9 } }] },
      { code: 'INVALID_REQUEST' },
    ],
  ])('says so: %s', async (_, fields, error) => {
    metadata = (described) => ({ ...described, ...fields });
    await expect(add()).rejects.toMatchObject(error);
    expect(await unfinished()).toEqual([]);
  });

  it('says so of an unknown name, an unknown revision and a hub that is not there', async () => {
    for (const named of ['hf:acme/nothing', `${NAMED}@v2`]) {
      await expect(add(named)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('no public model'),
      });
    }
    await expect(add(NAMED, { endpoint: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      code: 'MODEL_DOWNLOAD_FAILED',
      message: expect.stringMatching(/^The hub at http:\/\/127\.0\.0\.1:9 cannot be reached \(.+\)\.$/),
      hint: expect.stringContaining('name a mirror in HF_ENDPOINT'),
    });
  });
});

it('dowser model use makes it the model of the data folder, from the mirror of HF_ENDPOINT', async () => {
  const main = join(import.meta.dirname, '../../dist/cli/main.js');
  const env = { PATH: process.env.PATH, DOWSER_DATA: join(work, 'data'), DOWSER_MODELS: modelsDir, HF_ENDPOINT: url };
  const dowser = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], { env });
  const { stdout } = await dowser('model', 'use', NAMED);
  expect(stdout).toMatch(/^multilingual-e5-tiny-[0-9a-f]{8} is now the model of/);
  expect((await dowser('model')).stdout).toMatch(/\* multilingual-e5-tiny-[0-9a-f]{8} +ready/);
  const wrong = await dowser('model', 'use', 'hf:acme/nothing').catch((error) => error);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('no public model acme/nothing')]);
});
