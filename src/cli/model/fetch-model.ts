import type { KnownModel } from '../../embedders/models/known-models.ts';
import type { ModelProgress } from '../../embedders/models/model-fetch.ts';
import type { StoredModel } from '../../embedders/models/model-store.ts';
import { ensureLocalFiles } from '../../embedders/onnx/local-files.ts';
import { addHubModel, type HubModelOptions } from '../../embedders/open/hub-model.ts';
import type { CommandContext } from '../context/context.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';

const MEGABYTE = 1_000_000;

export const fetchingLabel = (model: string): string => `fetching ${model} and its runtime`;

/** Downloads a local model and its runtime if they are missing, with a progress bar. Throws the error of the download. */
export async function fetchModel(
  { err, signal }: CommandContext,
  name: string,
  modelsDir: string | undefined,
): Promise<StoredModel> {
  const { model } = await withProgress({ terminal: err, label: fetchingLabel(name), unit: 'MB' }, (bar) =>
    ensureLocalFiles(name, {
      modelsDir,
      shared: false,
      signal,
      onProgress: (progress) => showModelProgress(bar, progress),
    }),
  );
  return model;
}

/** Downloads a model of the hub, or of the mirror that HF_ENDPOINT names, with a progress bar. */
export function fetchHubModel(
  { err, signal, env }: CommandContext,
  named: string,
  options: Pick<HubModelOptions, 'modelsDir' | 'language'>,
): Promise<KnownModel> {
  const { HF_ENDPOINT: endpoint = '' } = env;
  return withProgress({ terminal: err, label: `fetching ${named}`, unit: 'MB' }, (bar) =>
    addHubModel(named, {
      ...options,
      signal,
      ...(endpoint === '' ? {} : { endpoint }),
      onProgress: (progress) => showModelProgress(bar, progress),
    }),
  );
}

/** Shows the progress of a download in megabytes. */
export function showModelProgress(bar: Progress, { doneBytes = 0, totalBytes = 0 }: ModelProgress): void {
  bar.update(doneBytes, totalBytes, doneBytes / MEGABYTE);
}
