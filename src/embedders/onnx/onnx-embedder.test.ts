import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import type { Embedder } from '../embedder.ts';
import type { PackageSource } from '../models/package-source.ts';
import { BreakerEmbedder } from '../wrappers/breaker.ts';
import { openOnnxEmbedder } from './onnx-embedder.ts';

let modelsDir: string;
let fetches: number;
let embedder: Embedder;

/** A machine without a network. */
const source: PackageSource = {
  async fromCache() {
    fetches++;
    return null;
  },
  async fromNetwork() {
    throw new DowserError('MODEL_DOWNLOAD_FAILED', 'There is no network.');
  },
};

beforeEach(() => {
  modelsDir = mkdtempSync(join(tmpdir(), 'dowser-no-model-'));
  fetches = 0;
  embedder = new BreakerEmbedder(openOnnxEmbedder({ model: 'all-MiniLM-L6-v2', modelsDir, source }));
});
afterEach(async () => {
  await embedder.close();
  rmSync(modelsDir, { recursive: true, force: true });
});

describe('without the model in its store', () => {
  it('a question fetches nothing, and says at once what to do', async () => {
    for (let i = 0; i < 3; i++) {
      await expect(embedder.embed([`q${i}`], { as: 'query' })).rejects.toMatchObject({
        code: 'EMBEDDER_UNAVAILABLE',
        message: expect.stringContaining('The embedding model all-MiniLM-L6-v2 is not in'),
        hint: expect.stringContaining('dowser model pull'),
      });
    }
    expect(fetches).toBe(0);
  });

  it('documents fetch it, and after a download that failed neither they nor questions try again at once', async () => {
    await expect(embedder.embed(['a document'], { as: 'document' })).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('could not be fetched: There is no network.'),
      hint: expect.stringContaining('dowser model pull'),
    });
    const tried = fetches;
    expect(tried).toBeGreaterThan(0);
    for (const as of ['document', 'query', 'document'] as const) {
      await expect(embedder.embed(['another'], { as })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
    }
    expect(fetches).toBe(tried);
  });
});
