import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DowserError } from '../../model/errors/errors.ts';
import type { KnownModel } from './known-models.ts';
import { fetchFailed, modelCorrupt } from './model-errors.ts';
import { makeIncoming, moveIntoPlace } from './model-fetch.ts';
import { checkFolder } from './model-folder.ts';

/** The models that come with Dowser. The same depth below the package from `src` and from `dist`. */
const SHIPPED_MODELS = fileURLToPath(new URL('../../../models/', import.meta.url));

/** The folder of the package that has a model, or null. Compares the sizes of its files: npm has checked the contents. */
export async function shippedFolder(model: KnownModel, shipped = SHIPPED_MODELS): Promise<string | null> {
  if (!model.isShipped) return null;
  const dir = join(shipped, model.name);
  for (const { name, bytes } of model.packages[0].files) {
    const stats = await stat(join(dir, name)).catch(() => null);
    if (stats?.size !== bytes) return null;
  }
  return dir;
}

/**
 * Copies a model that comes with Dowser into the store, where all models are: so the store can be copied as a whole, and a
 * damaged file of it is replaced. Returns its folder: that of the package if the store cannot be written, or is full. Throws
 * MODEL_CORRUPT, and for another failure MODEL_DOWNLOAD_FAILED.
 */
export async function copyShippedModel(model: KnownModel, store: string, shipped = SHIPPED_MODELS): Promise<string> {
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
    return dir;
  } catch (error) {
    const isDamaged = error instanceof DowserError && error.code === 'MODEL_CORRUPT';
    const inPackage = isDamaged ? null : await shippedFolder(model, shipped);
    if (inPackage === null) throw fetchFailed(error, model, dir);
    return inPackage;
  } finally {
    if (incoming !== undefined) await rm(incoming, { recursive: true, force: true }).catch(() => undefined);
  }
}
