import type { Embedder } from '../../src/embedders/embedder.ts';
import { Random } from './random.ts';

/** A vector for each word, added up: no model, so that only the search is measured. */
export function wordVectors(): Embedder {
  const dimensions = 384;
  const known = new Map<string, Float32Array>();
  const vectorOf = (text: string): Float32Array => {
    let vector = known.get(text);
    if (vector === undefined) {
      const random = new Random([...text].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7));
      vector = Float32Array.from({ length: dimensions }, () => random.unit() - 0.5);
      known.set(text, vector);
    }
    return vector;
  };
  const embed = (text: string): Float32Array => {
    const sum = new Float32Array(dimensions);
    for (const one of text.toLowerCase().split(/\W+/)) {
      const vector = vectorOf(one);
      for (let i = 0; i < dimensions; i++) sum[i]! += vector[i]!;
    }
    const length = Math.hypot(...sum);
    return sum.map((value) => value / length);
  };
  return {
    id: `bench/words/${dimensions}`,
    dimensions,
    embed: async (texts) => texts.map(embed),
    close: async () => {},
  };
}
