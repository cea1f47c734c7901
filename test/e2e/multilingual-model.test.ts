import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Embedder } from '../../src/embedders/embedder.ts';
import { openOnnxEmbedder } from '../../src/embedders/onnx/onnx-embedder.ts';
import { addModel } from '../../src/embedders/open/add-model.ts';
import { PIECES, vectorOf, writeTinyModel } from '../support/tiny-model.ts';

/** A folder as it comes from a hub: the tokenizer of XLM-RoBERTa, and a name that says what to put before a text. */
let work: string;
let embedder: Embedder;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'dowser-multilingual-'));
  const folder = join(work, 'multilingual-e5-tiny');
  const modelsDir = join(work, 'models');
  await writeTinyModel(folder);
  await addModel(folder, { modelsDir });
  embedder = openOnnxEmbedder({ model: 'multilingual-e5-tiny', modelsDir, download: false });
});
afterAll(async () => {
  await embedder.close();
  await rm(work, { recursive: true, force: true });
});

/** The mean of the vectors of these pieces, with length 1. */
function meanOf(...pieces: readonly string[]): readonly number[] {
  const vectors = pieces.map((piece) => vectorOf(PIECES.indexOf(piece)));
  const mean = vectorOf(0).map((_, at) => vectors.reduce((sum, vector) => sum + vector[at]!, 0) / vectors.length);
  const length = Math.hypot(...mean);
  return mean.map((value) => value / length);
}

function expectVector(vector: Float32Array | undefined, expected: readonly number[]): void {
  expect(vector).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(vector![at]).toBeCloseTo(value, 5);
}

it('reads many languages with its own tokenizer, with the prefixes of the E5 models', async () => {
  expect(embedder.language).toBeUndefined();
  const [query] = await embedder.embed(['こんにちは世界'], { as: 'query' });
  expectVector(query, meanOf('<s>', '▁query', ':', '▁こんにちは', '世界', '</s>'));
  const [document] = await embedder.embed(['hello мир'], { as: 'document' });
  expectVector(document, meanOf('<s>', '▁passage', ':', '▁hello', '▁мир', '</s>'));
});

it('gives no vector to a text without a piece that the model knows', async () => {
  const [runes, known] = await embedder.embed(['ᚠᚢᚦ ᚱ', 'ᚠᚢᚦ hello'], { as: 'query' });
  expect(runes!.every((value) => value === 0)).toBe(true);
  expect(known!.some((value) => value !== 0)).toBe(true);
});

it('is refused if it has no vector for a plain sentence', async () => {
  const folder = join(work, 'silent');
  await writeTinyModel(folder, { known: false });
  await expect(addModel(folder, { modelsDir: join(work, 'models') })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: `The folder ${folder} has a model without a vector for 'a sentence'.`,
  });
});
