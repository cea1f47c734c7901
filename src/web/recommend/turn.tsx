import { idOf } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { shownName } from '../data/words.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { Confidence } from '../parts/confidence.tsx';
import { Link } from '../parts/link.tsx';
import type { Recommendation } from './recommend-page.tsx';

interface TurnProps {
  readonly answer: Recommendation;
  /** Only the last questions can still be answered. */
  readonly isLast: boolean;
  readonly onAnswer: (dimension: string, value: string) => void;
}

export function Turn({ answer, isLast, onAnswer }: TurnProps) {
  const { needed_first: needed, used_with: used } = answer.prerequisites;
  return (
    <div class="turn">
      {answer.no_match && <p>Nothing in this registry answers that need.</p>}
      {answer.relaxed.length > 0 && (
        <p class="quiet">Nothing matches every wish. Dropped: {answer.relaxed.join(', ')}.</p>
      )}
      {answer.recommendations.map((option) => (
        <article key={idOf(option)} class="card">
          <div class="row">
            <h2>
              <Link href={entityHref(idOf(option))}>
                <bdi>{shownName(option)}</bdi>
              </Link>
            </h2>
            <TypeBadge type={option.entity_type} />
            {option.stability !== 'unknown' && <span class="badge">{option.stability}</span>}
            <Confidence value={option.confidence} />
          </div>
          <p dir="auto">{option.description}</p>
          <ul class="reasons">
            {[...option.reasons, ...option.evidence].map((reason) => (
              <li key={reason} dir="auto">
                {reason}
              </li>
            ))}
          </ul>
        </article>
      ))}
      <Others title="Alternatives" list={answer.alternatives} />
      <Others title="Needed first" list={needed} />
      <Others title="Used with it" list={used} />
      {answer.questions.map(({ dimension, question, options }) => (
        <fieldset key={dimension} class="question" disabled={!isLast}>
          <legend>{question}</legend>
          <div class="row">
            {options.map((option) => (
              <button type="button" key={option} onClick={() => onAnswer(dimension, option)}>
                {option}
              </button>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}

interface Other {
  readonly entity_type: Parameters<typeof idOf>[0]['entity_type'];
  readonly path: string;
  readonly name: string;
}

function Others({ title, list }: { readonly title: string; readonly list: readonly Other[] }) {
  if (list.length === 0) return null;
  return (
    <p class="row others">
      <span class="quiet">{title}</span>
      {list.map((one) => (
        <Link key={idOf(one)} href={entityHref(idOf(one))}>
          <bdi>{shownName(one)}</bdi>
        </Link>
      ))}
    </p>
  );
}
