import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { listModels } from '../models/model-store.ts';
import {
  type EmbedderEvents,
  type EmbedderSettings,
  type OpenedEmbedder,
  openEmbedder,
  PROVIDERS,
} from './open-embedder.ts';

/**
 * The embedder that made the vectors of a store, when the settings name another one. It embeds queries until the new vectors
 * are complete. Null when it cannot be used: a local model must be in the model store already, a remote one needs the
 * address and keys of the settings.
 */
export async function openPreviousEmbedder(
  { id, dimensions }: EmbedderIdentity,
  settings: EmbedderSettings,
  events: EmbedderEvents = {},
): Promise<OpenedEmbedder | null> {
  const [, provider, modelName] = /^(local|openai|bedrock|ollama)\/(.+)\/\d+$/.exec(id) ?? [];
  if (provider === undefined || modelName === undefined) return null;
  if (provider === 'local' ? !(await isStored(modelName, settings)) : !isReachable(provider, settings)) return null;
  try {
    const previous = { provider: provider as 'local', modelName, dimensions, download: false };
    const opened = await openEmbedder({ ...settings, ...previous }, events);
    if (opened.embedder?.id === id) return opened;
    await opened.embedder?.close();
    return null;
  } catch (error) {
    if (error instanceof DowserError && error.code === 'INVALID_SETTING') return null;
    throw error;
  }
}

async function isStored(modelName: string, { modelsDir }: EmbedderSettings): Promise<boolean> {
  const models = await listModels({ modelsDir });
  return models.some(({ model, state }) => model.name === modelName && state === 'good');
}

/** The address and keys of the settings belong to one provider. Never send them to another. */
function isReachable(provider: string, { provider: current = 'local', modelName = '' }: EmbedderSettings): boolean {
  const kind = PROVIDERS[current];
  if (kind === 'litellm')
    return modelName.startsWith(`${provider}/`) || (provider === 'openai' && !modelName.includes('/'));
  return kind === provider;
}
