import { useState } from 'preact/hooks';
import { api, type SearchBody } from '../api.ts';
import { EntityPicker } from '../parts/entity-picker.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useLoad } from '../use-load.ts';

/** The stages of a search, in their order, in words. */
const STAGES = [
  ['unknown', 'Registered'],
  ['filter', 'Passes the filters'],
  ['retrieval', 'Found by a leg'],
  ['confidence', 'Confident enough'],
  ['page', 'Ranked on this page'],
  ['floor', 'Scores above the floor'],
] as const;

/** Pick what is missing, and see the stage that lost it. */
export function WhyNot({ body }: { readonly body: SearchBody }) {
  const [isOpen, setOpen] = useState(false);
  const [id, setId] = useState('');
  return (
    <section class="why-not" aria-label="Why not?">
      <button type="button" class="quiet-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Is something missing?
      </button>
      {isOpen && (
        <div class="card">
          <EntityPicker label="What did you expect?" onPick={setId} />
          {id !== '' && <Stages id={id} body={body} />}
        </div>
      )}
    </section>
  );
}

function Stages({ id, body }: { readonly id: string; readonly body: SearchBody }) {
  const { value, failure } = useLoad(`${id} ${JSON.stringify(body)}`, (signal) =>
    api.search({ body: { ...body, why_not: id } }, { signal }),
  );
  if (failure !== undefined) return <FailureNote failure={failure} />;
  const why = value?.why_not;
  if (why === undefined) return <p class="quiet">Loading…</p>;
  const lostAt = STAGES.findIndex(([stage]) => stage === why.stage);
  return (
    <div role="status">
      <p>
        <code>
          <bdi>{id}</bdi>
        </code>
      </p>
      <ol class="stages">
        {STAGES.map(([stage, text], at) => (
          <li key={stage} class={stateOf(at, lostAt)}>
            {text}
          </li>
        ))}
      </ol>
      <p>
        <strong dir="auto">{why.reason}</strong> {why.hint}
      </p>
    </div>
  );
}

function stateOf(at: number, lostAt: number): 'passed' | 'lost' | 'after' {
  if (lostAt < 0 || at < lostAt) return 'passed';
  return at === lostAt ? 'lost' : 'after';
}
