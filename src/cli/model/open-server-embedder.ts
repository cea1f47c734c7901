import type { Settings } from '../../config.ts';
import type { OpenedEmbedder } from '../../embedders/open-embedder.ts';
import type { Logger } from '../../http/logger.ts';
import { toDowserError } from '../../model/errors.ts';
import { openEmbedderFor } from '../../open.ts';
import { type CommandContext, warn } from '../context.ts';
import { type Progress, withProgress } from '../terminal/progress.ts';
import { showModelProgress } from './fetch-model.ts';
import { localModel } from './local-model.ts';
import { loadInBackground, type ModelLoading } from './model-loading.ts';

export interface ServedEmbedder {
  readonly embedder: OpenedEmbedder;
  /** Null where the model was fetched, or could not be, before anything else began. */
  readonly loading: ModelLoading | null;
}

/**
 * The embedder of a server. On the first run its local model is fetched, where someone can see it; later ones only load
 * it, in the background, so that the first question need not wait. A model that cannot be had is down from the start:
 * the server answers by keyword, and the background queue tries again.
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
  const model = await localModel(settings);
  if (model === undefined || model.state === 'good') return { embedder: opened, loading: loadInBackground(opened) };
  const giveUp = () => void opened.embedder?.close();
  context.signal.addEventListener('abort', giveUp, { once: true });
  try {
    await withProgress(
      { terminal: context.err, label: `fetching ${model.model.name}`, unit: 'MB' },
      async (progress) => {
        bar = progress;
        await opened.warm();
      },
    );
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message, ownHint: hint = '' } = toDowserError(thrown);
    warn(context, `${message} Searches are by keyword until it is there. ${hint}`.trim());
  } finally {
    bar = null;
    context.signal.removeEventListener('abort', giveUp);
  }
  return { embedder: opened, loading: null };
}
