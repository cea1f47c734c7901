import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BASE_MODEL } from '../../src/embedders/models/known-models.ts';
import { modelsDirectory } from '../../src/embedders/models/model-store.ts';
import { ensureLocalFiles } from '../../src/embedders/onnx/local-files.ts';
import { openRegistry } from '../../src/open.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';

/** Stores that were filled before the default model changed, with the two real models. */
const OLD = `local/${BASE_MODEL}/384`;
const NEW = 'local/dowser-tools-1/384';
const MODEL_MS = 240_000;

const ENTITIES = ['send a letter to a person', 'forecast rain', 'list open issues', 'convert a currency'].map(
  (description, n) => ({ type: 'tool', path: `/tools/t${n}`, name: `t${n}`, description }),
);

let dir: string;
let registry: LocalRegistry | undefined;
beforeAll(async () => {
  await ensureLocalFiles(BASE_MODEL);
}, MODEL_MS);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-old-default-'));
});
afterEach(async () => {
  await registry?.close();
  rmSync(dir, { recursive: true, force: true });
});

async function filledByOldDefault(): Promise<void> {
  const old = await openRegistry({ data_dir: dir, embeddings_model_name: BASE_MODEL }, { background: false });
  await old.putMany(ENTITIES, { vectors: 'later' });
  await old.embedPending();
  expect((await old.health()).embedder.id).toBe(OLD);
  await old.close();
}

async function firstFor(query: string) {
  const { search_mode, results } = await registry!.search({ query });
  return [search_mode, results[0]?.path];
}

describe('a store that was filled with the previous default model', () => {
  it('searches with the old vectors until the new ones are there', { timeout: MODEL_MS }, async () => {
    await filledByOldDefault();
    registry = await openRegistry({ data_dir: dir }, { background: false });
    const before = await registry.health();
    expect([before.embedder.id, before.embedder.building?.id, before.index.missing_vectors]).toEqual([OLD, NEW, 0]);
    expect(await firstFor('mail somebody')).toEqual(['hybrid', '/tools/t0']);

    await registry.embedPending();
    const after = await registry.health();
    expect([after.embedder.id, after.embedder.building]).toEqual([NEW, undefined]);
    expect([after.index.vectors, after.index.missing_vectors]).toEqual([ENTITIES.length, 0]);
    expect(await firstFor('mail somebody')).toEqual(['hybrid', '/tools/t0']);
  });

  it('builds the new ones without a download where the old model is gone', { timeout: MODEL_MS }, async () => {
    await filledByOldDefault();
    const models = join(dir, 'models');
    // The runtime of the usual store is used as well.
    expect(models).not.toBe(modelsDirectory());
    registry = await openRegistry({ data_dir: dir, models_dir: models }, { background: false });
    await registry.embedPending();
    expect((await registry.health()).embedder.id).toBe(NEW);
    expect(await firstFor('mail somebody')).toEqual(['hybrid', '/tools/t0']);
  });
});
