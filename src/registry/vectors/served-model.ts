import type { Embedder, EmbedderState, EmbedOptions } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import { DowserError } from '../../model/errors/errors.ts';

/** An embedder and how it is doing. */
export interface Model {
  readonly embedder: Embedder;
  readonly state: () => EmbedderState;
}

/** After this many refused queries in a row, the model is at fault and not the queries. */
const REFUSED_FOR_GOOD = 3;

/** The error of an operation that needs a model. */
export function noModel(): DowserError {
  return new DowserError('EMBEDDER_UNAVAILABLE', 'No embedding model is configured.', {
    hint: 'Set EMBEDDINGS_PROVIDER to local, openai, bedrock or ollama.',
  });
}

export interface ServedModelOptions {
  readonly engine: Engine;
  /** The model of the settings. */
  readonly wanted: Model;
  /** The model that the engine serves until the vectors of `wanted` are built. */
  readonly previous: Model | null;
}

/**
 * The embedder of searches. During a change of the model, it is the previous one until `serveNext` switches the engine and
 * the searches in one step. A running search ends with the model it began with.
 */
export class ServedModel {
  readonly #engine: Engine;
  readonly #uses = new Map<Model, number>();
  readonly #views = new Map<Model, Model>();
  #serving: Model;
  #next: Model | null;
  #changing: Promise<void> | null = null;
  #refusals = 0;
  #onIdle: (() => void) | null = null;
  /** Called after each query that a model has embedded. */
  onAnswer: ((model: Model) => void) | null = null;

  constructor({ engine, wanted, previous }: ServedModelOptions) {
    this.#engine = engine;
    const isChanging = previous !== null && engine.vectors.building?.id === wanted.embedder.id;
    this.#serving = isChanging ? previous : wanted;
    this.#next = isChanging ? wanted : null;
  }

  get serving(): Model {
    return this.#serving;
  }

  /** The model whose vectors are being built. Null if there is none. */
  get next(): Model | null {
    return this.#next;
  }

  /** Runs a whole search on one model. */
  async use<T>(work: (model: Model) => Promise<T>): Promise<T> {
    const model = this.#serving;
    this.#uses.set(model, (this.#uses.get(model) ?? 0) + 1);
    try {
      return await work(this.#viewOf(model));
    } finally {
      const left = this.#uses.get(model)! - 1;
      this.#uses.set(model, left);
      if (left === 0 && model !== this.#serving) this.#onIdle?.();
    }
  }

  /** Serves the vectors that were built. Resolves when no search uses the old ones. */
  serveNext(): Promise<void> {
    this.#changing ??= this.#change().finally(() => {
      this.#changing = null;
    });
    return this.#changing;
  }

  /** Call it when the engine may serve another embedder: whichever process has finished its vectors, this one changes over. */
  follow(): void {
    const served = this.#engine.vectors.embedder?.id;
    if (this.#next !== null && served === this.#next.embedder.id) this.serveNext().catch(() => undefined);
  }

  /** Resolves when no switch is running, so that no search uses vectors that are no longer served. */
  async settled(): Promise<void> {
    await this.#changing;
  }

  async close(): Promise<void> {
    await this.#serving.embedder.close();
    await this.#next?.embedder.close();
  }

  async #change(): Promise<void> {
    if (this.#next === null) return;
    const old = this.#serving;
    const { id } = this.#next.embedder;
    const { vectors } = this.#engine;
    if (vectors.embedder?.id !== id) await vectors.serveBuilding(id);
    if (vectors.embedder?.id !== id) return;
    this.#serving = this.#next;
    this.#next = null;
    if ((this.#uses.get(old) ?? 0) > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#views.delete(old);
    this.#uses.delete(old);
    await old.embedder.close();
  }

  /** Other processes may serve an embedder that this one does not have. */
  #checkServed(model: Model): void {
    const { replica, vectors } = this.#engine;
    if (replica === null || model !== this.#serving || this.#next !== null) return;
    const { id } = model.embedder;
    if (vectors.embedder === null || vectors.embedder.id === id || vectors.building?.id === id) return;
    const message = `This node is set to ${id}, and the shared record has the vectors of ${vectors.embedder.id}`;
    throw new DowserError('EMBEDDER_UNAVAILABLE', message);
  }

  /** The model for one search: reports answers and refusals here. */
  #viewOf(model: Model): Model {
    const known = this.#views.get(model);
    if (known !== undefined) return known;
    const { embedder, state } = model;
    const view: Model = {
      embedder: {
        id: embedder.id,
        dimensions: embedder.dimensions,
        language: embedder.language,
        embed: (texts, options) => this.#embed(model, texts, options),
        close: () => embedder.close(),
      },
      state,
    };
    this.#views.set(model, view);
    return view;
  }

  /** If the old model refuses every query, the new vectors are served early: a few are better than none. */
  async #embed(model: Model, texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    this.#checkServed(model);
    try {
      const vectors = await model.embedder.embed(texts, options);
      this.onAnswer?.(model);
      this.#refusals = 0;
      return vectors;
    } catch (error) {
      if (!(error instanceof DowserError)) throw error;
      if (model === this.#serving && this.#next !== null && error.code === 'EMBEDDER_REJECTED') {
        this.#refusals += 1;
        if (this.#refusals >= REFUSED_FOR_GOOD) this.serveNext().catch(() => undefined);
      }
      throw withHintInside(error);
    }
  }
}

/** A search answer shows only the message, so the hint becomes part of it. */
function withHintInside(error: DowserError): DowserError {
  const { code, message, hint } = error;
  if (hint === undefined) return error;
  const end = /[.!?]$/.test(message) ? '' : '.';
  return new DowserError(code, `${message}${end} ${hint.replace(/\.$/, '')}`, { cause: error });
}
