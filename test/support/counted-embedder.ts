import type { Embedder, EmbedOptions } from '../../src/embedders/embedder.ts';

/** Another embedder, which also remembers the questions it was asked to embed. */
export class CountedEmbedder implements Embedder {
  readonly id: string;
  readonly dimensions: number;
  readonly language: Embedder['language'];
  readonly questions: string[] = [];
  readonly #embedder: Embedder;

  constructor(embedder: Embedder) {
    this.id = embedder.id;
    this.dimensions = embedder.dimensions;
    this.language = embedder.language;
    this.#embedder = embedder;
  }

  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    if (options.as === 'query') this.questions.push(...texts);
    return this.#embedder.embed(texts, options);
  }

  close(): Promise<void> {
    return this.#embedder.close();
  }
}
