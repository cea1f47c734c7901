import type { Settings } from '../../config.ts';
import { findModel, listModels, type ModelListing } from '../../embedders/model-store.ts';

/** The words for the state of a model. */
export const MODEL_STATES = { good: 'ready', missing: 'missing', corrupt: 'damaged' } as const;

/** The local model of the settings, stored or not. Undefined for another embedder. Throws INVALID_SETTING. */
export async function localModel(settings: Settings): Promise<ModelListing | undefined> {
  if (settings.embeddings_provider !== 'local') return undefined;
  const { embeddings_model_name: named, models_dir: modelsDir } = settings;
  const { name } = findModel(named, { modelsDir });
  return (await listModels({ modelsDir })).find(({ model }) => model.name === name);
}
