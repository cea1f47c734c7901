import { randomUUID } from 'node:crypto';
import type { ReindexState, Replica } from '../../engines/replica.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import type { Reindex, ReindexProgress } from '../contract/answers.ts';
import type { ReindexOptions } from '../contract/maintenance.ts';

export interface SharedReindexParts {
  readonly replica: Replica;
  /** The embedder of the settings. */
  readonly embedder: () => string;
  /** Whether this process works for others. It always works for itself. */
  readonly background: boolean;
  readonly total: () => Promise<number>;
  /** Embeds a page of entities. Its `after` is the cursor of the next one; null: there is none. */
  readonly embedPage: (
    after: string | null,
    signal: AbortSignal,
  ) => Promise<{ readonly entities: number; readonly vectors: number; readonly after: string | null }>;
  readonly onError: ((error: unknown) => void) | undefined;
}

/**
 * Re-embeds everything once for all processes that share a record. The record has how far it is: the process that embeds
 * works, the one that was asked waits, and if the first one dies, the next one continues.
 */
export class SharedReindex {
  readonly #parts: SharedReindexParts;
  readonly #stop = new AbortController();
  readonly #waiters = new Set<() => void>();
  #hasAsked = false;
  #work: Promise<void> | null = null;

  constructor(parts: SharedReindexParts) {
    this.#parts = parts;
  }

  /**
   * Asks for a run, or joins the one that is under way. `signal` ends the wait, not the run. Rejects at once if the record is
   * known to be down.
   */
  async ask(signal?: AbortSignal, onProgress?: ReindexOptions['onProgress']): Promise<Reindex> {
    const { replica, embedder: ofSettings, total: count } = this.#parts;
    const { error } = replica.status();
    if (error !== null) throw error;
    this.#hasAsked = true;
    const embedder = ofSettings();
    const total = await count();
    const { id } = await replica.changeReindex((known) => {
      if (known !== null && known.end === null && known.embedder === embedder) return known;
      return { id: randomUUID(), embedder, after: null, entities: 0, total, vectors: 0, end: null };
    });
    this.follow();
    return this.#ended(id, signal, onProgress);
  }

  /** The run that is under way, or how the last one failed. */
  progress(): ReindexProgress | null {
    const state = this.#parts.replica.reindex();
    if (state === null || state.end === 'done') return null;
    const { entities: done, total, end } = state;
    return end === null ? { done, total } : { done, total, failed: end };
  }

  /** Works if it is this process's turn, and tells those who wait. */
  follow(): void {
    for (const check of [...this.#waiters]) check();
    const { replica, embedder, background } = this.#parts;
    const state = replica.reindex();
    if (this.#stop.signal.aborted || this.#work !== null || state === null || state.end !== null) return;
    if (!(background || this.#hasAsked) || state.embedder !== embedder() || !replica.embeds(state.embedder)) return;
    this.#work = this.#run(state).finally(() => {
      this.#work = null;
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const check of [...this.#waiters]) check();
    await this.#work;
  }

  async #run(from: ReindexState): Promise<void> {
    const { replica, embedPage, onError } = this.#parts;
    const { signal } = this.#stop;
    try {
      for (let state = from; state.end === null && replica.embeds(state.embedder); ) {
        const page = await embedPage(state.after, signal);
        const entities = state.entities + page.entities;
        const next: ReindexState = {
          ...state,
          after: page.after,
          entities,
          total: Math.max(state.total, entities),
          vectors: state.vectors + page.vectors,
          end: page.after === null ? 'done' : null,
        };
        if ((await this.#save(next)) !== next) return;
        state = next;
      }
    } catch (thrown) {
      const { code, message } = toDowserError(thrown);
      // The run continues when the record is back.
      if (signal.aborted || code === 'RECORD_UNAVAILABLE') return;
      await this.#save({ ...(replica.reindex() ?? from), end: { code, message } }).catch(() => undefined);
      onError?.(thrown);
    }
  }

  /** Unless another process has ended the run. */
  #save(next: ReindexState): Promise<ReindexState> {
    return this.#parts.replica.changeReindex((known) =>
      known === null || (known.id === next.id && known.end === null) ? next : known,
    );
  }

  #ended(id: string, signal?: AbortSignal, onProgress?: ReindexOptions['onProgress']): Promise<Reindex> {
    const { replica } = this.#parts;
    const until = signal === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, signal]);
    return new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        this.#waiters.delete(check);
        until.removeEventListener('abort', check);
        end();
      };
      const check = () => {
        if (until.aborted) return finish(() => reject(until.reason));
        const { id: now, entities, total, vectors, end } = replica.reindex()!;
        if (now === id) onProgress?.({ done: entities, total });
        // Another run begins after this one has ended.
        if (now !== id || end === 'done') return finish(() => resolve({ entities, vectors, not_found: [] }));
        if (end !== null) finish(() => reject(new DowserError(end.code, end.message)));
      };
      this.#waiters.add(check);
      until.addEventListener('abort', check);
      check();
    });
  }
}
