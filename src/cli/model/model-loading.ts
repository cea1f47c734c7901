import type { OpenedEmbedder } from '../../embedders/open-embedder.ts';
import type { Logger } from '../../http/logger.ts';
import { toDowserError } from '../../model/errors.ts';

export interface ModelLoading {
  /** Logs that the model cannot be loaded, now or when it turns out. */
  report(logger: Logger, signal: AbortSignal): void;
}

/**
 * Loads the model while the server starts, so that the first question need not wait. A server that cannot start drops its
 * model half loaded, which is no news of its own, so nothing is said before `report`, nor once the signal has aborted.
 */
export function loadInBackground({ warm }: Pick<OpenedEmbedder, 'warm'>): ModelLoading {
  const trouble = warm().then(
    () => undefined,
    (thrown: unknown) => toDowserError(thrown),
  );
  return {
    report(logger, signal) {
      void trouble.then((error) => {
        if (error !== undefined && !signal.aborted) logger.warn({ code: error.code }, 'model not loaded');
      });
    },
  };
}
