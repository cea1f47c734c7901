import type { ModelProgress } from '../../embedders/model-fetch.ts';
import { ensureModel } from '../../embedders/model-store.ts';
import type { CommandContext } from '../context.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';

const MEGABYTE = 1_000_000;

/** Downloads a local model if it is missing, with a progress bar. Throws the error of the download. */
export function fetchModel(
  { err, signal }: CommandContext,
  name: string,
  modelsDir: string | undefined,
): ReturnType<typeof ensureModel> {
  return withProgress({ terminal: err, label: `fetching ${name}`, unit: 'MB' }, (bar) =>
    ensureModel(name, { modelsDir, signal, onProgress: (progress) => showModelProgress(bar, progress) }),
  );
}

/** Shows the progress of a download in megabytes. */
export function showModelProgress(bar: Progress, { doneBytes = 0, totalBytes = 0 }: ModelProgress): void {
  bar.update(doneBytes, totalBytes, doneBytes / MEGABYTE);
}
