import { useState } from 'preact/hooks';
import type { OperationResult } from '../../client/index.ts';
import { api, type Failure, toFailure } from '../data/api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useQuestions } from '../search/questions.ts';
import { useHealth } from '../shell/health.ts';
import { Turn } from './turn.tsx';

export type Recommendation = OperationResult<'recommend'>;

/** What was said, by whom. */
interface Said {
  readonly text: string;
  readonly answer: Recommendation;
}

/** Needs to try. The first has two options in the example catalog. */
const NEEDS = [
  'feature flags for a Node.js service',
  'a database for embeddings',
  'an ORM for TypeScript',
  'read the tables of a PDF',
  'plan a trip',
];

const NO_PREFERENCE = 'No preference';

/** A need in words, answered with one or two options. Questions come back as buttons. */
export function RecommendPage() {
  const [need, setNeed] = useState('');
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const { health } = useHealth();
  const examples = useQuestions(NEEDS, health?.index.entities === 0);
  const say = async (text: string, before: readonly Said[], ask: () => Promise<Recommendation>) => {
    setAsking(true);
    setFailure(undefined);
    try {
      setSaid([...before, { text, answer: await ask() }]);
    } catch (thrown) {
      setFailure(toFailure(thrown));
    } finally {
      setAsking(false);
    }
  };
  const start = (query: string) => say(query, [], () => api.recommend({ body: { query } }));
  const respond = (query_id: string, answers: Readonly<Record<string, string>>) =>
    say(Object.values(answers)[0] ?? NO_PREFERENCE, said, () => api.recommendRespond({ body: { query_id, answers } }));
  return (
    <>
      <PageHead title="Recommend">
        Describe what you need, and get the one choice that fits best, or two to decide between, with the reasons.
      </PageHead>
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          start(need);
        }}
      >
        <Field label="What do you need?" value={need} onType={setNeed} placeholder="a database for embeddings" />
        <button type="submit" class="primary" disabled={isAsking || need.trim() === ''}>
          Recommend
        </button>
        {said.length === 0 && examples.length > 0 && (
          <div class="row">
            <span class="quiet">For example:</span>
            {examples.map((example) => (
              <button
                type="button"
                class="small"
                key={example}
                disabled={isAsking}
                onClick={() => {
                  setNeed(example);
                  start(example);
                }}
              >
                {example}
              </button>
            ))}
          </div>
        )}
      </form>
      <div class="conversation" aria-live="polite">
        {said.map(({ text, answer }, at) => (
          <section key={at} aria-label={`Answer ${at + 1}`}>
            <p class="said" dir="auto">
              {text}
            </p>
            <Turn
              answer={answer}
              isLast={at === said.length - 1 && !isAsking}
              onAnswer={(dimension, value) => respond(answer.query_id, { [dimension]: value })}
              onSkip={() => respond(answer.query_id, {})}
            />
          </section>
        ))}
      </div>
      <FailureNote failure={failure} />
    </>
  );
}
