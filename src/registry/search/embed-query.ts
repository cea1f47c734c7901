import type { Embedder } from '../../embedders/embedder.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import type { QueryVector, SearchPlan } from '../../search/plan/plan.ts';
import { queryVectors, textsToEmbed } from '../../search/plan/query-vectors.ts';
import { isOtherScript } from '../../search/text/other-script.ts';

interface EmbedParts {
  /** null: there is no vector leg. */
  readonly embedder: Embedder | null;
  /** See the setting `vector_search_ef_search`. */
  readonly efSearch: number;
}

/** The vector that the request has for its query, of length 1; or why it is not used. Null: it has none. */
export function givenVector(
  embedder: Embedder | null,
  { request: { query_vector: given }, meanings }: SearchPlan,
): { readonly values: Float32Array } | { readonly why: string } | null {
  if (given === undefined || embedder === null) return null;
  if (meanings !== null) return { why: 'the request has other wordings too' };
  const { dimensions } = embedder;
  if (given.length !== dimensions) return { why: `it has ${given.length} numbers, and the model ${dimensions}` };
  const norm = Math.hypot(...given);
  if (!(norm > 0 && Number.isFinite(norm)))
    return { why: norm === 0 ? 'it has only zeros' : 'its numbers are too large' };
  return { values: Float32Array.from(given, (value) => value / norm) };
}

/** The query's vector, or null and why: a search never fails because a model does. */
export async function embedQuery(
  { embedder, efSearch }: EmbedParts,
  plan: SearchPlan,
): Promise<{ readonly vector: QueryVector | null; readonly failure?: string }> {
  if (plan.preset.vector === null) return { vector: null };
  if (embedder === null)
    return { vector: null, failure: 'No embedding model is configured; results are by keyword only.' };
  const given = givenVector(embedder, plan);
  if (given !== null && 'values' in given) {
    // What stands for the whole text stands for each of its parts.
    const { values } = given;
    return { vector: { values, parts: plan.parts.map(() => values), embedder: embedder.id, efSearch } };
  }
  if (embedder.language === 'English' && isOtherScript(plan.text)) {
    return { vector: null, failure: 'The embedding model reads English only; results are by keyword only.' };
  }
  try {
    const vectors = queryVectors(plan, await embedder.embed(textsToEmbed(plan), { as: 'query' }));
    return { vector: vectors === null ? null : { ...vectors, embedder: embedder.id, efSearch } };
  } catch (thrown) {
    const { code, message } = toDowserError(thrown);
    return {
      vector: null,
      failure: `The embedding model is not available (${code}: ${message}); results are by keyword only.`,
    };
  }
}

export const NOT_COMPARED =
  'The embedding model did not answer a second time, so the tools of each server were compared less exactly.';

/** By text, or null: without them the search is a little worse, so a failure is no reason to fail. */
export async function embedTexts(
  { embedder }: Pick<EmbedParts, 'embedder'>,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Float32Array> | null> {
  if (embedder === null || texts.length === 0) return new Map();
  try {
    const vectors = await embedder.embed(texts, { as: 'query' });
    return new Map(vectors.map((vector, at) => [texts[at]!, vector]));
  } catch (thrown) {
    toDowserError(thrown);
    return null;
  }
}
