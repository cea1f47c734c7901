import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureModel } from '../../src/embedders/models/model-store.ts';
import { openOnnxEmbedder } from '../../src/embedders/onnx/onnx-embedder.ts';
import { addModel } from '../../src/embedders/open/add-model.ts';

/** A model of the user's own: the files of the default model under another name, in a store of their own. */
let work: string;
let folder: string;
let modelsDir: string;
let original: string;

beforeAll(async () => {
  original = (await ensureModel()).dir;
});
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'dowser-added-'));
  folder = join(work, 'my-model');
  modelsDir = join(work, 'models');
  await mkdir(join(folder, 'onnx'), { recursive: true });
  for (const file of ['onnx/model_quantized.onnx', 'tokenizer.json', 'tokenizer_config.json'])
    await cp(join(original, file), join(folder, file));
  await writeFile(join(folder, 'config.json'), '{"hidden_size": 384}');
});
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))));

const put = async (name: string, value: object) => {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), JSON.stringify(value));
};

async function vectorsOf(model: string | undefined, dir: string | undefined) {
  const embedder = openOnnxEmbedder({ model, modelsDir: dir, download: false });
  try {
    const [document] = await embedder.embed(['list the open issues'], { as: 'document' });
    const [query] = await embedder.embed(['list the open issues'], { as: 'query' });
    return { id: embedder.id, language: embedder.language, document: document!, query: query! };
  } finally {
    await embedder.close();
  }
}

describe('addModel', () => {
  it('gives the vectors of its files, by its full name and by that of the folder', async () => {
    folders.push(work);
    const { name } = await addModel(folder, { modelsDir });
    expect(name).toBe('my-model-78fd668a');
    await rm(folder, { recursive: true });
    const added = await vectorsOf('my-model', modelsDir);
    const usual = await vectorsOf(undefined, undefined);
    expect(added.document).toEqual(usual.document);
    expect([added.id, added.language]).toEqual(['local/my-model-78fd668a/384', undefined]);
    expect(await vectorsOf(name, modelsDir)).toEqual(added);
  });

  it('puts before a text what the model expects, and pools as it says', async () => {
    folders.push(work);
    await put('config_sentence_transformers.json', { prompts: { query: 'query: ', passage: '' } });
    await addModel(folder, { modelsDir, language: 'English' });
    const { query, document, language } = await vectorsOf('my-model', modelsDir);
    const usual = await vectorsOf(undefined, undefined);
    expect([document, language]).toEqual([usual.document, 'English']);
    expect(query).not.toEqual(usual.query);

    await put('1_Pooling/config.json', { pooling_mode_cls_token: true });
    await rm(modelsDir, { recursive: true });
    await addModel(folder, { modelsDir });
    expect((await vectorsOf('my-model', modelsDir)).document).not.toEqual(usual.document);
  });

  it('refuses what it cannot run, says why, and leaves nothing behind', async () => {
    folders.push(work);
    const added = () => addModel(folder, { modelsDir });
    await put('config.json', { hidden_size: 100 });
    await expect(added()).rejects.toThrow(/does not run: .*numbers for/);
    await put('config.json', {});
    await expect(added()).rejects.toThrow("has no 'hidden_size' in config.json.");
    await writeFile(join(folder, 'onnx/model_quantized.onnx'), 'not a model');
    await put('config.json', { hidden_size: 384 });
    await expect(added()).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('does not run'),
    });
    await rm(join(folder, 'onnx'), { recursive: true });
    await expect(added()).rejects.toThrow('has no onnx/model_quantized.onnx and no onnx/model.onnx.');
    await expect(ensureModel('my-model', { modelsDir })).rejects.toMatchObject({ code: 'INVALID_SETTING' });
  });

  it('is not used once its files have changed', async () => {
    folders.push(work);
    const { name } = await addModel(folder, { modelsDir });
    await writeFile(join(modelsDir, name, 'tokenizer.json'), '{}');
    await expect(ensureModel(name, { modelsDir })).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      hint: 'Add it again with `dowser model use FOLDER`.',
    });
  });
});

it('dowser model use makes it the model of the data folder', async () => {
  folders.push(work);
  const main = join(import.meta.dirname, '../../dist/cli/main.js');
  const env = { PATH: process.env.PATH, DOWSER_DATA: join(work, 'data'), DOWSER_MODELS: modelsDir };
  const dowser = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args], { env });
  const { stdout } = await dowser('model', 'use', folder);
  expect(stdout).toContain('my-model-78fd668a is now the model of');
  const config = JSON.parse(await readFile(join(work, 'data', 'config.json'), 'utf8'));
  expect(config).toEqual({ embeddings_provider: 'local', embeddings_model_name: 'my-model-78fd668a' });
  expect((await dowser('model')).stdout).toMatch(/\* my-model-78fd668a +ready/);
  const wrong = await dowser('model', 'use', './nothing').catch((error) => error);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no folder ./nothing.')]);
});
