import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownModel, TOOLS_MODEL } from './known-models.ts';
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

describe('a model that comes with Dowser', () => {
  it('is there without a network, at once and again after damage', async () => {
    const { dir, weights } = await ensureModel(TOOLS_MODEL, { modelsDir, ...nothingFetched });
    expect(dir).toBe(join(modelsDir, TOOLS_MODEL));
    const whole = readFileSync(weights);
    for (const damage of [() => rmSync(weights), () => writeFileSync(weights, whole.subarray(1))]) {
      damage();
      await ensureModel(TOOLS_MODEL, { modelsDir, ...nothingFetched });
      expect(readFileSync(weights).equals(whole)).toBe(true);
    }
    const listed = await listModels({ modelsDir });
    expect(listed.find(({ model }) => model.name === TOOLS_MODEL)?.state).toBe('good');
    expect(readdirSync(modelsDir)).toEqual([TOOLS_MODEL]);
  });

  it('is not taken if its files are not the pinned ones', async () => {
    const model = knownModel(TOOLS_MODEL);
    const shipped = join(modelsDir, 'package');
    for (const { name } of model.packages[0].files) {
      mkdirSync(join(shipped, TOOLS_MODEL, name, '..'), { recursive: true });
      writeFileSync(join(shipped, TOOLS_MODEL, name), 'other');
    }
    const store = join(modelsDir, 'store');
    await expect(copyShippedModel(model, store, shipped)).rejects.toMatchObject({
      code: 'MODEL_CORRUPT',
      hint: expect.stringContaining('install Dowser again'),
    });
    expect(readdirSync(store)).toEqual([]);
  });
});
