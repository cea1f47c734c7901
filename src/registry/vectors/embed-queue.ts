import type { Engine } from '../../engines/engine.ts';
import type { EntityId } from '../../model/entity.ts';
import type { Model, ServedModel } from './served-model.ts';
import { type EmbedProgress, VectorBacklog } from './vector-backlog.ts';

/** Vectors of a replaced embedder that are deleted at a time: a search never waits longer than for these. */
const DROP_AT_ONCE = 500;

export interface EmbedQueueOptions {
  readonly engine: Engine;
  readonly model: ServedModel;
  /** Whether `kick` does anything; without it only `drain` and `embedSoon` embed. Default true. */
  readonly background?: boolean;
  /** Told of each failure of the background run; the queue itself goes on trying. */
  readonly onError?: (error: unknown, retryInMs: number) => void;
}

/**
 * Brings vectors to units that have none: of the embedder that is served and, while the model is being changed, of the
 * one that comes after it. When nothing of that one is missing, it is served, and the vectors it replaces are deleted.
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

  /** Starts background runs unless they are under way; trouble is reported to `onError` and tried again later. */
  kick(): void {
    for (const backlog of this.#live()) backlog.kick();
  }

  /**
   * Embeds until nothing is missing of the embedder that the settings name; returns how many vectors were stored. Joins a
   * run that is under way, so progress is then that run's own. Throws what the embedder throws.
   */
  async drain(onProgress?: (progress: EmbedProgress) => void, signal?: AbortSignal): Promise<number> {
    const { model } = this.#options;
    return this.#backlogOf(model.next ?? model.serving).drain(onProgress, signal);
  }

  /**
   * Embeds what these entities miss ahead of everything else, for at most `timeoutMs`. Never throws: what could not be
   * done is left to the background.
   */
  async embedSoon(entities: readonly EntityId[], timeoutMs: number): Promise<void> {
    await this.#backlogOf(this.#options.model.serving).embedSoon(entities, timeoutMs);
    this.kick();
  }

  /** Ends every run; what is missing stays missing until the next start. */
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
    const backlog = new VectorBacklog({ engine, embedder, background, onError, onDone });
    this.#backlogs.set(model, backlog);
    return backlog;
  }

  /** Nothing of a model is missing. If it was being built it is served from now on; what it replaced is deleted. */
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
    while (!this.#isClosed && (await engine.vectors.dropStale(DROP_AT_ONCE)) > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
