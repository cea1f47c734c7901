import { ensureModel } from '../embedders/model-store.ts';
import type { CommandContext } from './context.ts';
import { withProgress } from './terminal/progress.ts';

const MEGABYTE = 1_000_000;

/** Gets a local model where it is not there yet, where someone can see it. Throws what the download throws. */
export function fetchModel(
  { err, signal }: CommandContext,
  name: string,
  modelsDir: string | undefined,
): ReturnType<typeof ensureModel> {
  return withProgress({ terminal: err, label: `fetching ${name}`, unit: 'MB' }, (progress) =>
    ensureModel(name, {
      modelsDir,
      signal,
      onProgress: ({ doneBytes = 0, totalBytes = 0 }) => progress.update(doneBytes, totalBytes, doneBytes / MEGABYTE),
    }),
  );
}
