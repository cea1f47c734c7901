import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../http/logger.ts';
import type { Health } from '../../registry/registry.ts';
import type { CommandContext } from '../context.ts';
import { formatThings, type Progress, withProgress } from '../terminal/progress.ts';

/** Often enough for a bar that moves. */
const WATCH_MS = 250;
/** For a log, and for a model that is down and may stay so. */
const SELDOM_MS = 2000;

export interface VectorWatch {
  readonly health: () => Promise<Pick<Health, 'index' | 'embedder'>>;
  readonly logger: Pick<Logger, 'info'>;
  /** How long to wait between two looks. Default: as long as makes sense. */
  readonly everyMs?: number;
}

/**
 * Follows the vectors that are still to come when a server starts, and says once that all are there: on a terminal in
 * words, behind a bar, elsewhere by a line in the log. Searches are answered meanwhile. Ends when all are there, when
 * there will be none, or when the server stops.
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

/** How many vectors there are once none is missing; null when the server stops before. */
async function allVectors(watch: VectorWatch, signal: AbortSignal, bar: Progress | null): Promise<number | null> {
  let most = 0;
  while (!signal.aborted) {
    const { index, embedder } = await watch.health();
    if (index.missing_vectors === 0) return index.vectors;
    most = Math.max(most, index.missing_vectors);
    const isDown = embedder.state === 'down';
    // A bar that stands still says nothing; why it does is in the log.
    if (isDown) bar?.clear();
    else bar?.update(most - index.missing_vectors, most);
    const waitMs = watch.everyMs ?? (isDown || bar === null ? SELDOM_MS : WATCH_MS);
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return null;
}
