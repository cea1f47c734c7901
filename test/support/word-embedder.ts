import type { Embedder, EmbedOptions } from '../../src/embedders/embedder.ts';
import { DowserError } from '../../src/model/errors/errors.ts';

/**
 * A model small enough to reason about: each word has a direction of its own, and words of one group share it, so that
 * texts with words of one group are near each other. It can be switched off and on, and counts what it is asked.
 */
export class WordEmbedder implements Embedder {
  readonly dimensions = 64;
  readonly id: string;
  readonly embedded: string[] = [];
  readonly #groups: ReadonlyMap<string, string>;
  /** While set, every call fails with it. */
  failure: DowserError | null = null;

  /** A call with a text that has this word is refused for good. */
  refused: string | null = null;
  delayMs = 0;

  constructor(groups: readonly (readonly string[])[] = [], name = 'words') {
    this.id = `test/${name}/64`;
    this.#groups = new Map(groups.flatMap((words) => words.map((word) => [word, words[0]!] as const)));
  }

  fail(): void {
    this.failure = new DowserError('EMBEDDER_UNAVAILABLE', 'The test switched the model off.');
  }

  recover(): void {
    this.failure = null;
  }

  async embed(texts: readonly string[], _options: EmbedOptions): Promise<readonly Float32Array[]> {
    if (this.failure !== null) throw this.failure;
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const { refused } = this;
    if (refused !== null && texts.some((text) => text.includes(refused))) {
      throw new DowserError('EMBEDDER_REJECTED', 'The test refuses a text.');
    }
    this.embedded.push(...texts);
    return texts.map((text) => this.#vectorOf(text));
  }

  async close(): Promise<void> {}

  #vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    vector[0] = 0.01;
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const name = this.#groups.get(word) ?? word;
      let hash = 2166136261;
      for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
      vector[1 + ((hash >>> 0) % (this.dimensions - 1))]! += 1;
    }
    let length = 0;
    for (const value of vector) length += value * value;
    return vector.map((value) => value / Math.sqrt(length));
  }
}
