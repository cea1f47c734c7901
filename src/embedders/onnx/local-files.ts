import type { ModelProgress } from '../models/model-fetch.ts';
import { type EnsureModelOptions, ensureModel, type StoredModel } from '../models/model-store.ts';
import { ensureRuntime, type RuntimeOptions } from './runtime-store.ts';

export interface LocalFilesOptions extends EnsureModelOptions, Pick<RuntimeOptions, 'runtime' | 'shared'> {
  /** The store of the runtime. Default: that of the model. */
  readonly runtimesDir?: string | undefined;
}

/** All that a local model needs to run. */
export interface LocalFiles {
  readonly model: StoredModel;
  /** The path of the runtime's file for Node. */
  readonly runtime: string;
}

/**
 * The files of a model and of the runtime. Fetches both at once if they are missing. `onProgress` gets the bytes of both
 * together. Throws the errors of `ensureModel` and `ensureRuntime`.
 */
export async function ensureLocalFiles(name: string | undefined, options: LocalFilesOptions = {}): Promise<LocalFiles> {
  const bytes = { model: { done: 0, total: 0 }, runtime: { done: 0, total: 0 } };
  const reportAs = (part: keyof typeof bytes) => (progress: ModelProgress) => {
    const { doneBytes = bytes[part].done, totalBytes = bytes[part].total } = progress;
    bytes[part] = { done: doneBytes, total: totalBytes };
    const { model, runtime } = bytes;
    options.onProgress?.({
      ...progress,
      doneBytes: model.done + runtime.done,
      totalBytes: model.total + runtime.total,
    });
  };
  const [model, runtime] = await Promise.allSettled([
    ensureModel(name, { ...options, onProgress: reportAs('model') }),
    ensureRuntime({ ...options, modelsDir: options.runtimesDir ?? options.modelsDir, onProgress: reportAs('runtime') }),
  ]);
  if (model.status === 'rejected') throw model.reason;
  if (runtime.status === 'rejected') throw runtime.reason;
  return { model: model.value, runtime: runtime.value };
}
