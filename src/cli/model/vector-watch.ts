import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../http/log/logger.ts';
import type { Health } from '../../registry/contract/registry.ts';
import type { CommandContext } from '../context/context.ts';
import { formatThings, type Progress, withProgress } from '../terminal/progress.ts';

/** For a progress bar. */
const WATCH_MS = 250;
/** For a log, and while the model is down. */
const SELDOM_MS = 2000;

export interface VectorWatch {
  readonly health: () => Promise<Pick<Health, 'index' | 'embedder'>>;
  readonly logger: Pick<Logger, 'info'>;
  /** The time between two checks. Default: depends on the terminal and the model. */
  readonly everyMs?: number;
}

/**
 * Shows the progress of missing vectors after a server has started, and says when all are computed: with a bar on a terminal,
 * elsewhere as a line in the log. Ends when none is missing, without an embedder, or when the server stops.
 */
export async function watchVectors({ err, signal }: CommandContext, watch: VectorWatch): Promise<void> {
  const { index, embedder } = await watch.health();
  if (index.missing_vectors === 0 || embedder.state === 'off') return;
  const label = { terminal: err, label: 'embedding', unit: 'texts' };
  const vectors = err.isTTY
    ? await withProgress(label, (progress) => allVectors(watch, signal, progress))
    : await allVectors(watch, signal, null);
  if (vectors === null) return;
  if (err.isTTY) err.write(`Ready: all ${formatThings(vectors, 'vector')} are there.\n`);
  else watch.logger.info({ vectors }, 'all vectors are there');
}

/** The number of vectors once none is missing. Null if the server stops before. */
async function allVectors(watch: VectorWatch, signal: AbortSignal, bar: Progress | null): Promise<number | null> {
  let most = 0;
  while (!signal.aborted) {
    const { index, embedder } = await watch.health();
    if (index.missing_vectors === 0) return index.vectors;
    most = Math.max(most, index.missing_vectors);
    const isDown = embedder.state === 'down';
    // The log says why the model is down.
    if (isDown) bar?.clear();
    else bar?.update(most - index.missing_vectors, most);
    const waitMs = watch.everyMs ?? (isDown || bar === null ? SELDOM_MS : WATCH_MS);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}
