import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import { DowserError } from '../model/errors.ts';
import { listModels } from './model-store.ts';
import {
  type EmbedderEvents,
  type EmbedderSettings,
  type OpenedEmbedder,
  openEmbedder,
  PROVIDERS,
} from './open-embedder.ts';

/**
 * The embedder that made a store's vectors, when the settings already name another one: it goes on answering questions
 * until the vectors of the new one are there. Null when the settings do not suffice to use it: a local model must be in
 * the model store (it is not fetched for this), a remote one must be reachable with the address and the keys at hand.
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

/** Address and keys are those of one provider: another one's must not be sent to it. */
function isReachable(provider: string, { provider: current = 'local', modelName = '' }: EmbedderSettings): boolean {
  const kind = PROVIDERS[current];
  if (kind === 'litellm')
    return modelName.startsWith(`${provider}/`) || (provider === 'openai' && !modelName.includes('/'));
  return kind === provider;
}
