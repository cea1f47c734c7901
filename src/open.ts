import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSettings, type Settings, type SettingsInput } from './config.ts';
import { type EmbedderEvents, type OpenedEmbedder, openEmbedder } from './embedders/open-embedder.ts';
import type { Engine } from './engines/engine.ts';
import type { EmbedderIdentity } from './model/embedder-identity.ts';
import { createRegistry } from './registry/create-registry.ts';
import type { Registry } from './registry/registry.ts';

export interface OpenOptions {
  /** In place of the embedder that the settings name; the registry closes it. */
  readonly embedder?: OpenedEmbedder;
  /** Embed what is missing in the background. Default true; a bulk load switches it off and embeds at its end. */
  readonly background?: boolean;
  /** Told when the background embedding fails, with the time until it is tried again. */
  readonly onEmbedError?: (error: unknown, retryInMs: number) => void;
}

/** The version of this package. */
export function dowserVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/**
 * Opens a registry: the one place that knows every adapter. Settings left out have their defaults; neither the
 * environment nor files are read (`loadSettings` does that for the command line). Close it when done.
 */
export async function openRegistry(input: SettingsInput = {}, options: OpenOptions = {}): Promise<Registry> {
  const settings = parseSettings(input);
  const { embedder, state } = options.embedder ?? (await openEmbedderFor(settings));
  let engine: Engine;
  try {
    engine = await openEngine(settings, embedder);
  } catch (error) {
    await embedder?.close();
    throw error;
  }
  return createRegistry({
    engine,
    embedder,
    embedderState: state,
    version: dowserVersion(),
    dataPath: settings.engine === 'memory' ? null : settings.data_dir,
    indexingWaitMs: settings.indexing_wait_ms,
    background: options.background ?? true,
    ...(options.onEmbedError === undefined ? {} : { onEmbedError: options.onEmbedError }),
  });
}

/** The embedder that the settings name. Nothing heavy is loaded before its first use. */
export function openEmbedderFor(settings: Settings, events?: EmbedderEvents): Promise<OpenedEmbedder> {
  return openEmbedder(
    {
      provider: settings.embeddings_provider,
      modelName: settings.embeddings_model_name,
      dimensions: settings.embeddings_dimensions,
      apiBase: settings.embeddings_api_base,
      apiKey: settings.embeddings_api_key,
      responseFormat: settings.embeddings_response_format,
      workers: settings.embeddings_workers,
      modelsDir: settings.models_dir,
      cacheFile: settings.engine === 'memory' ? null : join(settings.data_dir, 'embeddings.sqlite'),
    },
    events,
  );
}

async function openEngine(settings: Settings, embedder: EmbedderIdentity | null): Promise<Engine> {
  const identity = embedder === null ? null : { id: embedder.id, dimensions: embedder.dimensions };
  if (settings.engine === 'memory') {
    const { MemoryEngine } = await import('./engines/memory.ts');
    return new MemoryEngine({ embedder: identity });
  }
  const { openEmbedded } = await import('./engines/embedded/open-embedded.ts');
  return openEmbedded({ dir: settings.data_dir, embedder: identity });
}
