import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Settings } from '../../config.ts';
import { SqliteVectorCache } from '../../embedders/wrappers/sqlite-vector-cache.ts';
import { MEASURING_TIMEOUT_MS, RememberedQueries } from '../../eval/remembered-queries.ts';
import type { Entity } from '../../model/entity.ts';
import { openEmbedderFor, openRegistry } from '../../open.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { withProgress } from '../terminal/progress.ts';
import type { CommandContext } from './context.ts';

const BATCH = 500;

/** Entities, and the questions that they will be asked. */
export interface AskedSet {
  /** For people. */
  readonly name: string;
  readonly entities: readonly Entity[];
  readonly queries: readonly { readonly text: string }[];
}

export interface FillOptions {
  readonly settings: Settings;
  readonly set: AskedSet;
  /** Whether any ranking needs vectors. */
  readonly vectors: boolean;
}

/**
 * Indexes a set into a temporary store, and always deletes it. Vectors are cached in the data folder for the next run. Throws
 * the reason of the signal when it aborts.
 */
export async function withFilledRegistry<T>(
  context: CommandContext,
  { settings, set, vectors }: FillOptions,
  use: (registry: Registry) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'dowser-eval-'));
  try {
    const { embeddings_provider, data_dir } = settings;
    const opened = await openEmbedderFor(
      { ...settings, embeddings_provider: vectors ? embeddings_provider : 'off' },
      { queryTimeoutMs: MEASURING_TIMEOUT_MS },
    );
    const cacheFile = join(data_dir, 'embeddings.sqlite');
    const queries =
      opened.embedder === null
        ? null
        : new RememberedQueries(opened.embedder, new SqliteVectorCache({ file: cacheFile }));
    const registry = await openRegistry(
      { ...settings, engine: 'embedded', data_dir: folder },
      { background: false, embedder: { ...opened, embedder: queries } },
    );
    try {
      await fill(context, registry, set, queries);
      return await use(registry);
    } finally {
      await registry.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(
  { err, signal }: CommandContext,
  registry: Registry,
  set: AskedSet,
  queries: RememberedQueries | null,
): Promise<void> {
  for (let from = 0; from < set.entities.length; from += BATCH) {
    // A write may finish without waiting, but a signal arrives only between turns of the event loop.
    await nextTurn();
    signal.throwIfAborted();
    await registry.putMany(set.entities.slice(from, from + BATCH), { vectors: 'later' });
  }
  if (queries === null) return;
  const label = `${set.name}: embedding`;
  await withProgress({ terminal: err, label, unit: 'texts' }, (progress) =>
    registry.embedPending({ signal, onProgress: ({ done, total }) => progress.update(done, total) }),
  );
  const asked = set.queries.map(({ text }) => text);
  await withProgress({ terminal: err, label, unit: 'queries' }, (progress) =>
    queries.prepare(asked, { signal, onProgress: (done) => progress.update(done, asked.length) }),
  );
}
