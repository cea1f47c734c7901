import { api } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { countText, dateText, things } from '../data/words.ts';

const METRICS = [
  ['ndcg@10', 'nDCG@10'],
  ['mrr', 'MRR'],
  ['recall@10', 'Recall@10'],
  ['hit@1', 'Hit@1'],
] as const;

interface FiguresProps {
  readonly presets: { readonly left: string; readonly right: string };
}

/** How good both presets are on labeled queries, as `dowser eval` measured it. Nothing where it has not run. */
export function Figures({ presets: { left, right } }: FiguresProps) {
  const { value } = useLoad('evaluation', (signal) => api.getEvaluation({}, { signal }));
  const names = [...new Set([left, right])];
  const sets = (value?.sets ?? []).flatMap(({ results, ...set }) => {
    const rows = names.flatMap((name) => results.find(({ preset }) => preset === name) ?? []);
    return rows.length === 0 ? [] : [{ ...set, rows }];
  });
  if (value === undefined || value.measured_at === null || sets.length === 0) return null;
  return (
    <section class="section" aria-labelledby="measured">
      <h2 id="measured">Measured</h2>
      <p class="quiet">
        By <code>dowser eval</code>, {dateText(value.measured_at)}. 0 to 1, higher is better.
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Set</th>
              <th scope="col">Preset</th>
              {METRICS.map(([name, title]) => (
                <th key={name} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">95% of nDCG@10</th>
            </tr>
          </thead>
          <tbody>
            {sets.map(({ set, documents, rows }) =>
              rows.map((row, at) => (
                <tr key={`${set} ${row.preset}`}>
                  {at === 0 && (
                    <th scope="rowgroup" rowSpan={rows.length}>
                      <bdi>{set}</bdi>
                      <span class="quiet">
                        {' '}
                        {things(row.queries, 'query', 'queries')}, {countText(documents)} documents
                      </span>
                    </th>
                  )}
                  <td>{row.preset}</td>
                  {METRICS.map(([name]) => (
                    <td key={name} class="number">
                      {row[name].toFixed(3)}
                    </td>
                  ))}
                  <td class="number">{row.interval.map((bound) => bound.toFixed(3)).join(' to ')}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}
