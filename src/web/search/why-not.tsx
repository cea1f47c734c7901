import { useState } from 'preact/hooks';
import { api, type EntityRecord, type SearchAnswer, type SearchBody, splitId } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { typeWord } from '../data/words.ts';
import { EntityPicker } from '../parts/entity-picker.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { PAGE_SIZE, type SearchState } from './search-state.ts';

/** The stages of a search, in their order, in words. */
const STAGES = [
  ['unknown', 'Registered'],
  ['filter', 'Passes the filters'],
  ['retrieval', 'Found by a leg'],
  ['confidence', 'Confident enough'],
  ['page', 'Ranked on this page'],
  ['floor', 'Scores above the floor'],
] as const;

interface WhyNotProps {
  readonly state: SearchState;
  readonly body: SearchBody;
  readonly onChange: (next: Partial<SearchState>) => void;
}

/** Pick what is missing, see the stage that lost it, and use the control that brings it back. */
export function WhyNot({ state, body, onChange }: WhyNotProps) {
  const [id, setId] = useState('');
  return (
    <section class="card why-not" aria-label="Why not?">
      <EntityPicker label="What did you expect?" onPick={setId} />
      {id !== '' && <Stages id={id} state={state} body={body} onChange={onChange} />}
    </section>
  );
}

function Stages({ id, state, body, onChange }: WhyNotProps & { readonly id: string }) {
  const { value, failure } = useLoad(`${id} ${JSON.stringify(body)}`, async (signal) => {
    const { why_not } = await api.search({ body: { ...body, why_not: id, peers: false } }, { signal });
    const isFiltered = why_not?.stage === 'filter';
    return { why_not, record: isFiltered ? await api.getEntity({ params: splitId(id) }, { signal }) : undefined };
  });
  if (failure !== undefined) return <FailureNote failure={failure} />;
  const why = value?.why_not;
  if (why === undefined) return <p class="quiet">Loading…</p>;
  const lostAt = STAGES.findIndex(([stage]) => stage === why.stage);
  const control = controlFor(why, value?.record, state);
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
        <strong dir="auto">{why.reason}</strong> {control === undefined && why.hint}
      </p>
      {control !== undefined && (
        <p class="actions">
          <button type="button" class="primary" onClick={() => onChange(control.change)}>
            {control.label}
          </button>
        </p>
      )}
    </div>
  );
}

function stateOf(at: number, lostAt: number): 'passed' | 'lost' | 'after' {
  if (lostAt < 0 || at < lostAt) return 'passed';
  return at === lostAt ? 'lost' : 'after';
}

interface Control {
  readonly label: string;
  readonly change: Partial<SearchState>;
}

/** The control of this page that would show it. Undefined: no control can. */
function controlFor(
  { stage, rank }: NonNullable<SearchAnswer['why_not']>,
  record: EntityRecord | undefined,
  state: SearchState,
): Control | undefined {
  if (stage === 'confidence' && !state.isWeak) return { label: 'Show weak matches', change: { isWeak: true } };
  if (stage === 'page' && rank !== null) {
    const page = Math.ceil(rank / PAGE_SIZE);
    return page === state.page ? undefined : { label: `Go to page ${page}`, change: { page } };
  }
  return record === undefined ? undefined : filterControl(record.entity, state);
}

function filterControl({ type, status, is_enabled, tags }: EntityRecord['entity'], state: SearchState) {
  const { types, include } = state;
  if (types.length > 0 && !types.includes(type)) {
    return { label: `Tick “${typeWord(type, 2)}” under Type`, change: { types: [...types, type] } };
  }
  const left = status === 'active' ? (is_enabled ? undefined : 'disabled') : status;
  if (left !== undefined && !include.includes(left)) {
    const title = { draft: 'Drafts', deprecated: 'Deprecated', disabled: 'Disabled' }[left as string] ?? left;
    return { label: `Tick “${title}” under Include`, change: { include: [...include, left] } };
  }
  const own = new Set(tags.map((tag) => tag.toLowerCase()));
  const missing = state.tags.filter((tag) => !own.has(tag.toLowerCase()));
  if (missing.length === 0) return undefined;
  const rest = state.tags.filter((tag) => !missing.includes(tag));
  return { label: `Remove ${missing.map((tag) => `#${tag}`).join(' ')}`, change: { tags: rest } };
}
