import type { Engine } from '../../engines/engine.ts';
import type { EntityId } from '../../model/entity.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import type { Model, ServedModel } from './served-model.ts';
import { type EmbedProgress, VectorBacklog } from './vector-backlog.ts';

/** Stale vectors that are deleted at once. A search waits for no more than these. */
const DROP_AT_ONCE = 500;

/** Deletes stale vectors in small steps. Returns how many. */
export async function dropStale(engine: Engine, isStopped: () => boolean, of?: readonly EntityId[]): Promise<number> {
  let removed = 0;
  while (!isStopped()) {
    const some = await engine.vectors.dropStale(DROP_AT_ONCE, of);
    if (some === 0) break;
    removed += some;
    await yieldToSearches();
  }
  return removed;
}

export interface EmbedQueueOptions {
  readonly engine: Engine;
  readonly model: ServedModel;
  /** Whether `kick` does anything; without it only `drain` and `embedSoon` embed. Default true. */
  readonly background?: boolean;
  /** Called after each failure of the background run, which is retried. */
  readonly onError?: ((error: unknown, retryInMs: number) => void) | undefined;
}

/**
 * Embeds units without a vector, with the served embedder and, during a change of the model, with the next one. When the
 * vectors of the next one are complete, they are served, and the old ones are deleted.
 */
export class EmbedQueue {
  readonly #options: EmbedQueueOptions;
  readonly #backlogs = new Map<Model, VectorBacklog>();
  #isClosed = false;

  constructor(options: EmbedQueueOptions) {
    this.#options = options;
    options.model.onAnswer = (model) => this.#backlogs.get(model)?.nudge();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Starts background runs unless they are running. A failure is reported to `onError` and retried later. */
  kick(): void {
    for (const backlog of this.#live()) backlog.kick();
  }

  /**
   * Embeds until no vector of the configured embedder is missing. Returns how many were stored. Waits for a running run
   * first. Throws the error of the embedder.
   */
  async drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    const { model } = this.#options;
    return this.#backlogOf(model.next ?? model.serving).drain(onProgress, signal);
  }

  /** Embeds the missing vectors of these entities first, for at most `timeoutMs`. Never throws: the background continues. */
  async embedSoon(entities: readonly EntityId[], timeoutMs: number): Promise<void> {
    await this.#backlogOf(this.#options.model.serving).embedSoon(entities, timeoutMs);
    this.kick();
  }

  /** Ends every run. The next start continues. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#backlogs.values()].map((backlog) => backlog.close()));
  }

  #live(): readonly VectorBacklog[] {
    const { serving, next } = this.#options.model;
    return (next === null ? [serving] : [serving, next]).map((model) => this.#backlogOf(model));
  }

  #backlogOf(model: Model): VectorBacklog {
    const known = this.#backlogs.get(model);
    if (known !== undefined) return known;
    const { engine, background = true, onError } = this.#options;
    const { embedder } = model;
    const onDone = () => this.#done(model);
    const isOurs = () => engine.replica?.embeds(embedder.id) ?? true;
    const backlog = new VectorBacklog({ engine, embedder, background, isOurs, onError, onDone });
    this.#backlogs.set(model, backlog);
    return backlog;
  }

  /** The vectors of a model are complete. Serves them if they were being built, and deletes the old ones. */
  async #done(model: Model): Promise<void> {
    const { engine, model: served } = this.#options;
    if (model === served.next) {
      const old = this.#backlogs.get(served.serving);
      this.#backlogs.delete(served.serving);
      await old?.close();
      await served.serveNext();
    }
    await served.settled();
    if (model !== served.serving || engine.vectors.building !== null) return;
    await dropStale(engine, () => this.#isClosed);
  }
}
