import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { loadSettings, type Settings } from '../../src/config.ts';
import { SqliteVectorCache } from '../../src/embedders/wrappers/sqlite-vector-cache.ts';
import { MEASURING_TIMEOUT_MS, RememberedQueries } from '../../src/eval/remembered-queries.ts';
import type { Entity } from '../../src/model/entity.ts';
import { openEmbedderFor, openRegistry } from '../../src/open.ts';
import { MAX_BATCH, type Registry } from '../../src/registry/contract/registry.ts';
import type { Progress } from '../progress.ts';

interface FilledOptions {
  readonly entities: readonly Entity[];
  readonly questions: readonly string[];
  readonly progress: Progress;
  /** The setting `vectors`. Default: as the settings say. */
  readonly vectors?: string | undefined;
  /** The name of a local model. Default: the model of the settings. */
  readonly model?: string | undefined;
}

/**
 * Indexes entities into a store of their own, which is gone afterwards. Vectors, of questions too, are kept in the data
 * folder of the settings, so that a second run embeds nothing.
 */
export async function withRegistry<T>(
  { entities, questions, progress, vectors, model }: FilledOptions,
  use: (registry: Registry) => Promise<T>,
): Promise<T> {
  const { settings: loaded } = loadSettings();
  const settings: Settings =
    model === undefined ? loaded : { ...loaded, embeddings_provider: 'local', embeddings_model_name: model };
  const folder = await mkdtemp(join(tmpdir(), 'dowser-quality-'));
  try {
    const opened = await openEmbedderFor(settings, { queryTimeoutMs: MEASURING_TIMEOUT_MS });
    if (opened.embedder === null) throw new Error('Quality is measured with a model: set EMBEDDINGS_PROVIDER.');
    const cache = new SqliteVectorCache({ file: join(settings.data_dir, 'embeddings.sqlite') });
    const embedder = new RememberedQueries(opened.embedder, cache);
    const registry = await openRegistry(
      { ...settings, engine: 'embedded', data_dir: folder, ...(vectors === undefined ? {} : { vectors }) },
      { background: false, embedder: { ...opened, embedder } },
    );
    try {
      for (let from = 0; from < entities.length; from += MAX_BATCH) {
        progress.step(`indexing ${from} of ${entities.length}`);
        await registry.putMany(entities.slice(from, from + MAX_BATCH), { vectors: 'later' });
      }
      await registry.embedPending({
        onProgress: ({ done, total }) => progress.step(`embedding ${done} of ${total} texts`),
      });
      await embedder.prepare(questions, {
        onProgress: (done) => progress.step(`embedding ${done} of ${questions.length} queries`),
      });
      while ((registry.vectorServer?.status().pending ?? 0) > 0) await wait(50);
      return await use(registry);
    } finally {
      await registry.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
