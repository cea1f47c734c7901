import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_MODEL, knownModel } from './known-models.ts';
import { ensureModel, listModels } from './model-store.ts';
import { copyShippedModel } from './shipped-model.ts';

let modelsDir: string;
beforeEach(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'dowser-shipped-'));
});
afterEach(() => rmSync(modelsDir, { recursive: true, force: true }));

const nothingFetched = {
  download: false,
  onProgress: () => {
    throw new Error('fetched');
  },
};

async function listed() {
  const { state, dir } = (await listModels({ modelsDir })).find(({ model }) => model.name === DEFAULT_MODEL)!;
  return [state, dir];
}

describe('a model that comes with Dowser', () => {
  it('is the default', () => {
    expect(knownModel(DEFAULT_MODEL).isShipped).toBe(true);
  });

  it('is ready before it is in a store, and from the package if the store cannot be written', async () => {
    const inPackage = fileURLToPath(new URL('../../../models/dowser-tools-1', import.meta.url));
    expect(await listed()).toEqual(['good', inPackage]);
    const file = join(modelsDir, 'file');
    writeFileSync(file, '');
    const { dir } = await ensureModel(undefined, { modelsDir: file, ...nothingFetched });
    expect(dir).toBe(inPackage);
  });

  it('is there without a network, at once and again after damage', async () => {
    const { dir, weights } = await ensureModel(DEFAULT_MODEL, { modelsDir, ...nothingFetched });
    expect(dir).toBe(join(modelsDir, DEFAULT_MODEL));
    const whole = readFileSync(weights);
    for (const damage of [() => rmSync(weights), () => writeFileSync(weights, whole.subarray(1))]) {
      damage();
      await ensureModel(DEFAULT_MODEL, { modelsDir, ...nothingFetched });
      expect(readFileSync(weights).equals(whole)).toBe(true);
    }
    expect(await listed()).toEqual(['good', dir]);
    expect(readdirSync(modelsDir)).toEqual([DEFAULT_MODEL]);
  });

  it('is not taken if its files are not the pinned ones', async () => {
    const model = knownModel(DEFAULT_MODEL);
    const shipped = join(modelsDir, 'package');
    for (const { name } of model.packages[0].files) {
      mkdirSync(join(shipped, DEFAULT_MODEL, name, '..'), { recursive: true });
      writeFileSync(join(shipped, DEFAULT_MODEL, name), 'other');
    }
    const store = join(modelsDir, 'store');
    await expect(copyShippedModel(model, store, shipped)).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      hint: expect.stringContaining('install Dowser again'),
    });
    expect(readdirSync(store)).toEqual([]);
  });
});
