import { explainInWords } from '../../client/explanations.ts';
import { api, idOf, type SearchBody } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { ExplanationTree } from './explanation-tree.tsx';

/** Asks again with `explain`: why in a sentence, and behind it what the score of one result is made of. */
export function Why({ id, body }: { readonly id: string; readonly body: SearchBody }) {
  const { value, failure } = useLoad(`${id} ${JSON.stringify(body)}`, (signal) =>
    api.search({ body: { ...body, explain: true, peers: false } }, { signal }),
  );
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (value === undefined) return <p class="quiet">Loading…</p>;
  const result = [...value.results, ...(value.nearest ?? [])].find((one) => idOf(one) === id);
  if (result?.explanation === undefined) return <p class="quiet">It is no longer among the results.</p>;
  return (
    <section class="why" aria-label="Why this result">
      <p>
        <strong dir="auto">{explainInWords(result.explanation, value.query)}</strong>
      </p>
      <details>
        <summary class="quiet">The numbers</summary>
        <p class="quiet">
          The parts add up to the relevance. It compares results of this answer only. Query class: {value.query_class}.
          {result.similarity_score !== null && ` Cosine similarity: ${result.similarity_score.toFixed(3)}.`}
        </p>
        <ExplanationTree node={result.explanation} total={result.explanation.value} query={value.query} />
      </details>
    </section>
  );
}
