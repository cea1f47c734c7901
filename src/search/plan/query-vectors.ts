import type { SearchPlan } from './plan.ts';
import { MAX_WHOLE_CHARS } from './query-parts.ts';

type Texts = Pick<SearchPlan, 'text' | 'parts' | 'meanings'>;

/** The embedding of a query and of its parts. */
export interface QueryVectors {
  readonly values: Float32Array;
  readonly parts: readonly Float32Array[];
}

/** Whether only the parts of a text are embedded: their mean stands for the whole. */
function isByParts({ text, parts, meanings }: Texts): boolean {
  return meanings === null && parts.length > 0 && text.length > MAX_WHOLE_CHARS;
}

/**
 * The texts to embed for a search. Embedding takes most of the time of a search with a long text, and its parts together say
 * what the whole says. So a long text is embedded once, in parts: a model reads no more than its first few hundred words anyway.
 */
export function textsToEmbed(texts: Texts): readonly string[] {
  const { text, parts, meanings } = texts;
  return meanings ?? (isByParts(texts) ? parts : [text, ...parts]);
}

/** The vectors of a query from those of `textsToEmbed`. Null if there are none. */
export function queryVectors(texts: Texts, vectors: readonly Float32Array[]): QueryVectors | null {
  const [first, ...rest] = vectors;
  if (first === undefined) return null;
  return isByParts(texts)
    ? { values: meanVector(texts.parts, vectors), parts: vectors }
    : { values: first, parts: rest };
}

/** The mean of the vectors of some texts, each weighted by its length. Not normalized. */
function meanVector(texts: readonly string[], vectors: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(vectors[0]!.length);
  let chars = 0;
  for (const { length } of texts) chars += length;
  for (let at = 0; at < vectors.length; at++) {
    const share = texts[at]!.length / chars;
    const vector = vectors[at]!;
    for (let i = 0; i < mean.length; i++) mean[i]! += share * vector[i]!;
  }
  return mean;
}
