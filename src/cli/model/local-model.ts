import type { Settings } from '../../config.ts';
import { DEFAULT_MODEL, knownModel } from '../../embedders/known-models.ts';
import { listModels, type ModelListing } from '../../embedders/model-store.ts';

/** The words for the state of a model. */
export const MODEL_STATES = { good: 'ready', missing: 'missing', corrupt: 'damaged' } as const;

/** The local model of the settings, stored or not. Undefined for another embedder. Throws INVALID_SETTING. */
export async function localModel(settings: Settings): Promise<ModelListing | undefined> {
  if (settings.embeddings_provider !== 'local') return undefined;
  const { name } = knownModel(settings.embeddings_model_name ?? DEFAULT_MODEL);
  return (await listModels({ modelsDir: settings.models_dir })).find(({ model }) => model.name === name);
}
