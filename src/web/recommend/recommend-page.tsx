import { useState } from 'preact/hooks';
import type { OperationResult } from '../../client/index.ts';
import { api, type Failure, toFailure } from '../data/api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Turn } from './turn.tsx';

export type Recommendation = OperationResult<'recommend'>;

/** What was said, by whom. */
interface Said {
  readonly text: string;
  readonly answer: Recommendation;
}

/** A need in words, answered with one or two options. Questions come back as buttons. */
export function RecommendPage() {
  const [need, setNeed] = useState('');
  const [said, setSaid] = useState<readonly Said[]>([]);
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
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
  const start = () => say(need, [], () => api.recommend({ body: { query: need, max_questions: 2 } }));
  const respond = (query_id: string, dimension: string, value: string) =>
    say(value, said, () => api.recommendRespond({ body: { query_id, answers: { [dimension]: value } } }));
  return (
    <>
      <PageHead title="Recommend">
        Say what you need. Dowser picks one option, or two, with the reasons. Where it matters, it asks back.
      </PageHead>
      <form
        class="card form"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <Field label="What do you need?" value={need} onType={setNeed} placeholder="a database for embeddings" />
        <button type="submit" class="primary" disabled={isAsking || need.trim() === ''}>
          Recommend
        </button>
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
              onAnswer={(dimension, value) => respond(answer.query_id, dimension, value)}
            />
          </section>
        ))}
      </div>
      <FailureNote failure={failure} />
    </>
  );
}
