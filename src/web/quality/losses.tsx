import { api } from '../data/api.ts';
import { hrefOf } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { countText, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { changeText } from './run-chart.tsx';

const SHOWN = 100;
/** Below it, a change is rarely chance: the usual level. */
const SURE = 0.05;

interface LossesProps {
  readonly set: string;
  readonly preset: string;
  readonly before: string;
  readonly after: string;
}

/** What became of each question from one run to another: how many are better or worse, and which are worse. */
export function Losses({ set, preset, before, after }: LossesProps) {
  const { value, failure } = useLoad([set, preset, before, after].join('\n'), (signal) =>
    api.compareEvaluations({ query: { set, preset, before, after, limit: String(SHOWN) } }, { signal }),
  );
  if (value === undefined) return <FailureNote failure={failure} />;
  const { queries, difference, p, better, worse, losses } = value;
  if (queries === 0) return <p class="quiet">The runs share no question, or there were too many to keep.</p>;
  return (
    <>
      <p role="status">
        nDCG@10 {changeText(difference)} over {things(queries, 'question')}: {countText(better)} better,{' '}
        {countText(worse)} worse. {p < SURE ? 'This is hardly chance' : 'This may be chance'} (p {p.toFixed(3)}).
      </p>
      {losses.length > 0 && (
        <ol class="losses" aria-label="Questions that got worse">
          {losses.map(({ query_id: id, query, before: was, after: is }) => (
            <li key={`${id} ${query}`}>
              <span class="number">
                {was.toFixed(2)} → {is.toFixed(2)}
              </span>
              <bdi>{query}</bdi>
              <Link
                href={hrefOf('/ui/compare', {
                  q: query,
                  left: preset,
                  right: preset === 'keyword' ? 'hybrid' : 'keyword',
                })}
                label={`Compare the rankings of: ${query}`}
              >
                Compare
              </Link>
            </li>
          ))}
        </ol>
      )}
      {worse > losses.length && <p class="quiet">And {countText(worse - losses.length)} more.</p>}
    </>
  );
}
