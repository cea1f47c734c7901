import { idOf } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { shownName } from '../data/words.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { Confidence } from '../parts/confidence.tsx';
import { Link } from '../parts/link.tsx';
import { Warnings } from '../parts/warnings.tsx';
import type { Recommendation } from './recommend-page.tsx';

interface TurnProps {
  readonly answer: Recommendation;
  /** Only the last questions can still be answered. */
  readonly isLast: boolean;
  readonly onAnswer: (dimension: string, value: string) => void;
  /** Goes on without an answer. */
  readonly onSkip: () => void;
}

const WISHES = {
  language: 'the language',
  category: 'the category',
  license: 'the license',
  deployment: 'how you want to run it',
} as const;

const STABILITIES = { stable: 'stable', emerging: 'new and growing' } as const;

export function Turn({ answer, isLast, onAnswer, onSkip }: TurnProps) {
  const { needed_first: needed, used_with: used } = answer.prerequisites;
  return (
    <div class="turn">
      {answer.no_match && <p>Nothing in this registry answers that need.</p>}
      {answer.relaxed.length > 0 && (
        <p class="quiet">
          Nothing has all that you asked for. Left out: {answer.relaxed.map((facet) => WISHES[facet]).join(', ')}.
        </p>
      )}
      <Warnings list={answer.warnings} />
      {answer.is_two_option && (
        <p>Two fit about equally well: one is stable and well maintained, the other is new and growing fast.</p>
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
            {option.stability !== 'unknown' && <span class="badge">{STABILITIES[option.stability]}</span>}
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
      <Others title="Other choices" list={answer.alternatives} />
      <Others title="Set up first" list={needed} />
      <Others title="Often used with it" list={used} />
      {answer.questions.map(({ dimension, question, options }) => (
        <fieldset key={dimension} class="question" disabled={!isLast}>
          <legend>{question}</legend>
          <div class="row">
            {options.map((option) => (
              <button type="button" key={option} onClick={() => onAnswer(dimension, option)}>
                {option}
              </button>
            ))}
            <button type="button" class="quiet-button" onClick={onSkip}>
              No preference
            </button>
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
