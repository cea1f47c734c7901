import type { Settings } from '../../config.ts';
import type { OpenedEmbedder } from '../../embedders/open/open-embedder.ts';
import type { Logger } from '../../http/log/logger.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { openEmbedderFor } from '../../open.ts';
import { type CommandContext, warn } from '../context/context.ts';
import { localModel } from '../context/local-model.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';
import { fetchingLabel, showModelProgress } from './fetch-model.ts';
import { loadInBackground, type ModelLoading } from './model-loading.ts';

export interface ServedEmbedder {
  readonly embedder: OpenedEmbedder;
  /** Null if the model was fetched first, or could not be fetched. */
  readonly loading: ModelLoading | null;
}

/**
 * The embedder of a server. The first run fetches the local model, with a progress bar. Later runs load it in the
 * background. If the model cannot be fetched, the server answers by keyword, and the background queue tries again.
 */
export async function openServedEmbedder(
  context: CommandContext,
  settings: Settings,
  logger: Logger,
): Promise<ServedEmbedder> {
  let bar: Progress | null = null;
  const opened = await openEmbedderFor(settings, {
    onWarning: (error) => logger.warn({ reason: String(error) }, 'embeddings'),
    onModelProgress: (progress) => {
      if (bar !== null) showModelProgress(bar, progress);
    },
  });
  const model = await localModel(settings).catch(() => undefined);
  if (model === undefined || model.isReady) return { embedder: opened, loading: loadInBackground(opened) };
  const giveUp = () => void opened.embedder?.close();
  context.signal.addEventListener('abort', giveUp, { once: true });
  try {
    await withProgress(
      { terminal: context.err, label: fetchingLabel(model.model.name), unit: 'MB' },
      async (progress) => {
        bar = progress;
        await opened.warm();
      },
    );
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, ownHint: hint = '' } = toDowserError(thrown);
    warn(context, `${message} Searches use keywords only until it is fetched. ${hint}`.trim());
  } finally {
    bar = null;
    context.signal.removeEventListener('abort', giveUp);
  }
  return { embedder: opened, loading: null };
}
