import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BASE_MODEL } from '../../src/embedders/models/known-models.ts';
import { ensureModel } from '../../src/embedders/models/model-store.ts';
import { ensureRuntime } from '../../src/embedders/onnx/runtime-store.ts';

/** What only shows in a process of its own: how it ends, what it leaves behind, and whether the compiled files work. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let dir: string;
beforeAll(async () => {
  await Promise.all([ensureModel(), ensureRuntime()]);
  dir = mkdtempSync(join(tmpdir(), 'dowser-process-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (part) => {
    stdout += part;
  });
  child.stderr!.on('data', (part) => {
    stderr += part;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

/** A script of TypeScript modules, run away from the checkout. */
function start(script: string, prefix: readonly string[] = []): ChildProcess {
  const file = join(mkdtempSync(join(dir, 'run-')), 'script.mjs');
  writeFileSync(file, script);
  const [program, ...args] = [...prefix, process.execPath, '--import', TSX, file];
  return spawn(program!, args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
}

const source = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, 'src/embedders', path)).href);
const WITH_EMBEDDER = `
  import { openOnnxEmbedder } from ${source('onnx/onnx-embedder.ts')};
  const embedder = openOnnxEmbedder();
  const texts = (count, length = 1) => Array.from({ length: count }, (_, i) => 'some words about a tool '.repeat(length) + i);
`;

describe('a process with a local model', () => {
  it('tells nobody that it runs: the runtime keeps no record of its use', async () => {
    const cache = mkdtempSync(join(dir, 'cache-'));
    const modelsDir = join(cache, 'models');
    mkdirSync(modelsDir);
    for (const folder of [(await ensureModel()).dir, dirname(await ensureRuntime())])
      symlinkSync(folder, join(modelsDir, basename(folder)));
    const script = `${WITH_EMBEDDER.replace('openOnnxEmbedder()', `openOnnxEmbedder({ modelsDir: ${JSON.stringify(modelsDir)} })`)}
      await embedder.embed(texts(2), { as: 'query' });
      await embedder.close();`;
    const file = join(mkdtempSync(join(dir, 'run-')), 'script.mjs');
    writeFileSync(file, script);
    const env = { ...process.env, XDG_CACHE_HOME: cache, HOME: cache };
    const { code, stderr } = await ended(
      spawn(process.execPath, ['--import', TSX, file], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(readdirSync(cache)).toEqual(['models']);
  });

  it.each([
    ['ends by itself when the model is idle', ``],
    ['ends by itself after closing', `await embedder.close();`],
    [
      'can be ended in the middle of a long call',
      `embedder.embed(texts(99, 60), { as: 'document' }).catch(() => {}); setTimeout(() => process.exit(0), 100);`,
    ],
    [
      'closes in the middle of a long call',
      `embedder.embed(texts(99, 60), { as: 'document' }).catch((error) => console.log(error.code)); await embedder.close();`,
    ],
  ])('%s', async (_, last) => {
    const { code, stdout, stderr } = await ended(
      start(
        `${WITH_EMBEDDER} const [v] = await embedder.embed(texts(1), { as: 'query' }); console.log(v.length); ${last}`,
      ),
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^384\n(EMBEDDER_UNAVAILABLE\n)?$/);
  });

  it('lives until a call under way is done', async () => {
    const { code, stdout } = await ended(
      start(`${WITH_EMBEDDER} embedder.embed(texts(20), { as: 'document' }).then((all) => console.log(all.length));`),
    );
    expect([code, stdout]).toEqual([0, '20\n']);
  });
});

describe('the compiled files', () => {
  let built: string;
  const require = createRequire(import.meta.url);

  beforeAll(() => {
    built = join(dir, 'built');
    mkdirSync(built);
    writeFileSync(join(built, 'package.json'), '{"type": "module"}');
    const files = ['open/open-embedder.ts', 'onnx/worker.ts'].map((file) => join(ROOT, 'src/embedders', file));
    const compilerOptions = { noEmit: false, noCheck: true, rootDir: join(ROOT, 'src'), outDir: join(built, 'dist') };
    const types = { typeRoots: [join(ROOT, 'node_modules/@types')] };
    writeFileSync(
      join(built, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.json'),
        compilerOptions: { ...compilerOptions, ...types },
        files,
        include: [],
      }),
    );
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', built], { cwd: built });
    writeFileSync(
      join(built, 'main.js'),
      `import { openEmbedder } from './dist/embedders/open/open-embedder.js';
       const { embedder } = await openEmbedder({ provider: process.argv[2] });
       try {
         const [vector] = await embedder.embed(['a question'], { as: 'query' });
         console.log(vector.length);
       } catch (error) {
         console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
       }`,
    );
  });

  const run = (provider = 'local') =>
    ended(spawn(process.execPath, [join(built, 'main.js'), provider], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] }));
  const provide = (...packages: string[]) => {
    rmSync(join(built, 'node_modules'), { recursive: true, force: true });
    for (const name of packages) {
      mkdirSync(dirname(join(built, 'node_modules', name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(built, 'node_modules', name));
    }
  };

  it('work without a TypeScript loader, from any folder', async () => {
    provide('@huggingface/tokenizers', 'onnxruntime-common');
    expect(await run()).toEqual({ code: 0, stdout: '384\n', stderr: '' });
  });

  it("say how to get AWS's client when it is not installed", async () => {
    provide('@huggingface/tokenizers');
    const { code, stdout } = await run('bedrock');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('Cannot import @aws-sdk/client-bedrock-runtime'),
      hint: expect.stringContaining('npm install @aws-sdk/client-bedrock-runtime'),
    });
  });
});

describe('the model store', () => {
  let modelsDir: string;
  beforeEach(() => {
    modelsDir = mkdtempSync(join(dir, 'models-'));
  });

  const pull = (extra = '') => `
    import { ensureModel } from ${source('models/model-store.ts')};
    try {
      const { dir } = await ensureModel('${BASE_MODEL}', { modelsDir: ${JSON.stringify(modelsDir)}, ${extra} });
      console.log(dir);
    } catch (error) {
      console.log(error.code + ': ' + error.message);
    }`;

  it('can be filled by two processes at once', async () => {
    const both = await Promise.all([ended(start(pull())), ended(start(pull()))]);
    for (const { stdout, stderr } of both) {
      expect(stderr).toBe('');
      expect(stdout.trim()).toBe(join(modelsDir, BASE_MODEL));
    }
    expect(readdirSync(modelsDir)).toEqual([BASE_MODEL]);
    await ensureModel(BASE_MODEL, { modelsDir, download: false });
  });

  it('survives a process that is killed while it fills it', async () => {
    const unpacking = "onProgress: ({ phase }) => { if (phase === 'unpacking') process.kill(process.pid, 'SIGKILL'); }";
    await ended(start(pull(unpacking)));
    expect(readdirSync(modelsDir).filter((name) => name.startsWith('.incoming-'))).toHaveLength(1);
    expect(existsSync(join(modelsDir, BASE_MODEL))).toBe(false);
    await ensureModel(BASE_MODEL, { modelsDir });
    expect(readdirSync(modelsDir)).toEqual([BASE_MODEL]);
  });

  it.runIf(process.platform !== 'win32')('says when there is no room', async () => {
    // Files may grow to 20 MB here: the tarball fits, the weights do not.
    const limited = ['sh', '-c', 'trap "" XFSZ; ulimit -f 40000; exec "$0" "$@"'];
    const { stdout } = await ended(start(pull(), limited));
    expect(stdout).toContain(`STORE_FULL: There is not enough disk space for the embedding model ${BASE_MODEL}`);
    expect(readdirSync(modelsDir)).toEqual([]);
  });
});
