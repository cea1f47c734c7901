import type { OpenedEmbedder } from '../../embedders/open/open-embedder.ts';
import type { Logger } from '../../http/log/logger.ts';
import { toDowserError } from '../../model/errors/errors.ts';

export interface ModelLoading {
  /** Resolves when the model is loaded, or cannot be. */
  readonly settled: Promise<unknown>;
  /** Logs that the model cannot be loaded, now or later. */
  report(logger: Logger, signal: AbortSignal): void;
}

/**
 * Loads the model while the server starts, so that the first search need not wait. Logs nothing before `report` or after
 * the signal: a server that fails to start, or stops, drops its model while it loads.
 */
export function loadInBackground({ warm }: Pick<OpenedEmbedder, 'warm'>): ModelLoading {
  const trouble = warm().then(
    () => undefined,
    (thrown: unknown) => toDowserError(thrown),
  );
  return {
    settled: trouble,
    report(logger, signal) {
      void trouble.then((error) => {
        if (error !== undefined && !signal.aborted) logger.warn({ code: error.code }, 'model not loaded');
      });
    },
  };
}
