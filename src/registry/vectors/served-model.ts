import type { Embedder, EmbedderState, EmbedOptions } from '../../embedders/embedder.ts';
import type { Engine } from '../../engines/engine.ts';
import { DowserError } from '../../model/errors.ts';

/** An embedder and how it is doing. */
export interface Model {
  readonly embedder: Embedder;
  readonly state: () => EmbedderState;
}

/** So many questions refused in a row are no fault of the questions. */
const REFUSED_FOR_GOOD = 3;

/** What one search works with. It compares with that embedder's vectors only. */
export interface SearchModel {
  readonly embedder: Embedder;
  readonly embedderState: () => EmbedderState;
}

export interface ServedModelOptions {
  readonly engine: Engine;
  /** The one that the settings name. */
  readonly wanted: Model;
  /** The one that the engine still serves while it builds the vectors of the wanted one. */
  readonly previous: Model | null;
}

/**
 * Which embedder answers questions. While the model is being changed that is the previous one, until `serveNext`: then
 * the engine and the questions change over in one step, and a search that has begun ends with what it began with.
 */
export class ServedModel {
  readonly #engine: Engine;
  readonly #uses = new Map<Model, number>();
  readonly #views = new Map<Model, SearchModel>();
  #serving: Model;
  #next: Model | null;
  #changing: Promise<void> | null = null;
  #refusals = 0;
  #onIdle: (() => void) | null = null;
  /** Told of each question that a model has embedded. */
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

  /** The one whose vectors are being built; null when the model is not being changed. */
  get next(): Model | null {
    return this.#next;
  }

  /** Runs a search on one model from its beginning to its end. */
  async use<T>(work: (model: SearchModel) => Promise<T>): Promise<T> {
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

  /** Ends the change: the vectors that were built answer from now on. Resolves once nobody uses the old ones. */
  serveNext(): Promise<void> {
    this.#changing ??= this.#change().finally(() => {
      this.#changing = null;
    });
    return this.#changing;
  }

  /** Resolves when no change is under way, so that nobody uses vectors that are no longer served. */
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
    await this.#engine.vectors.serveBuilding();
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

  #viewOf(model: Model): SearchModel {
    const known = this.#views.get(model);
    if (known !== undefined) return known;
    const { embedder, state } = model;
    const view: SearchModel = {
      embedder: {
        id: embedder.id,
        dimensions: embedder.dimensions,
        embed: (texts, options) => this.#embed(model, texts, options),
        close: () => embedder.close(),
      },
      embedderState: state,
    };
    this.#views.set(model, view);
    return view;
  }

  /** A model that refuses question after question is gone for good: then the new vectors, however few, are better than none. */
  async #embed(model: Model, texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
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

/** An answer has room for one sentence about what is wrong, and what to do belongs in it. */
function withHintInside(error: DowserError): DowserError {
  const { code, message, hint } = error;
  if (hint === undefined) return error;
  const end = /[.!?]$/.test(message) ? '' : '.';
  return new DowserError(code, `${message}${end} ${hint.replace(/\.$/, '')}`, { cause: error });
}
