import type { Settings } from '../../config.ts';
import { findModel, listModels, type ModelListing } from '../../embedders/models/model-store.ts';
import { findRuntime, type RuntimeListing } from '../../embedders/onnx/runtime-store.ts';

/** The words for the state of a model. */
export const MODEL_STATES = { good: 'ready', missing: 'missing', corrupt: 'damaged' } as const;

export interface LocalModel extends ModelListing {
  readonly runtime: RuntimeListing;
  /** The files of both are there. */
  readonly isReady: boolean;
}

/**
 * The local model of the settings and its runtime, stored or not. Undefined for another embedder. Throws INVALID_SETTING, and
 * EMBEDDER_UNAVAILABLE if local models do not run on this system.
 */
export async function localModel(settings: Settings): Promise<LocalModel | undefined> {
  if (settings.embeddings_provider !== 'local') return undefined;
  const { embeddings_model_name: named, models_dir: modelsDir } = settings;
  const { name } = findModel(named, { modelsDir });
  const [models, runtime] = await Promise.all([listModels({ modelsDir }), findRuntime({ modelsDir })]);
  const found = models.find(({ model }) => model.name === name);
  return found && { ...found, runtime, isReady: found.state === 'good' && runtime.state === 'good' };
}
