import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KnownModel } from './known-models.ts';
import { fetchFailed, modelCorrupt } from './model-errors.ts';
import { makeIncoming, moveIntoPlace } from './model-fetch.ts';
import { checkFolder } from './model-folder.ts';

/** The models that come with Dowser. The same depth below the package from `src` and from `dist`. */
const SHIPPED_MODELS = fileURLToPath(new URL('../../models/', import.meta.url));

/**
 * Copies a model that comes with Dowser into the store, where all models are: so the store can be copied as a whole, and a
 * damaged file of it is replaced. Throws MODEL_CORRUPT, MODEL_DOWNLOAD_FAILED for a store that cannot be written, STORE_FULL.
 */
export async function copyShippedModel(model: KnownModel, store: string, shipped = SHIPPED_MODELS): Promise<void> {
  const from = join(shipped, model.name);
  const dir = join(store, model.name);
  let incoming: string | undefined;
  try {
    incoming = await makeIncoming(store);
    const copy = join(incoming, 'model');
    for (const { name } of model.packages[0].files) {
      await mkdir(dirname(join(copy, name)), { recursive: true });
      await copyFile(join(from, name), join(copy, name));
    }
    const state = await checkFolder(copy, model);
    if (state.state !== 'good') throw modelCorrupt(state, model, from);
    await moveIntoPlace(copy, dir, model);
  } catch (error) {
    throw fetchFailed(error, model, dir);
  } finally {
    if (incoming !== undefined) await rm(incoming, { recursive: true, force: true }).catch(() => undefined);
  }
}
