import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { SearchAnswer, SearchBody } from '../data/api.ts';
import { navigate, type PageProps } from '../data/navigation.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { Filters } from './filters.tsx';
import { Results, Summary } from './results.tsx';
import { SearchBox } from './search-box.tsx';
import { isEmpty, readState, requestOf, type SearchState, stateHref } from './search-state.ts';
import { useSearch } from './use-search.ts';
import { Welcome } from './welcome.tsx';
import { WhyNot } from './why-not.tsx';

export function SearchPage({ address }: PageProps) {
  const state = readState(address.query);
  const key = stateHref(state);
  const body = useMemo(() => (isEmpty(state) ? null : requestOf(state)), [key]);
  const { answer, body: asked, counts, failure, isSettled, isStale } = useSearch(body, state.isWeak);
  const latest = useRef(state);
  latest.current = state;
  const change = useCallback(
    (next: Partial<SearchState>) => navigate(stateHref({ ...latest.current, page: 1, ...next })),
    [],
  );
  const type = (query: string) => {
    // The first key leaves the welcome page, so that Back returns to it.
    const how = state.query === '' ? 'push' : 'replace';
    navigate(stateHref({ ...state, query, page: 1 }), how);
  };
  const isLanding = body === null;
  // A key draws the box at once. Twenty cards of the answer before it would only cost time.
  const results = useMemo(
    () =>
      answer !== undefined &&
      asked !== undefined && (
        <Found
          answer={answer}
          weak={isSettled ? (counts?.weak ?? 0) : 0}
          isSettled={isSettled}
          state={state}
          body={asked}
          onChange={change}
        />
      ),
    [answer, isSettled, state.isGrouped, state.page],
  );
  const filterKey = stateHref({ ...state, query: '', page: 1 });
  const filters = useMemo(() => <Filters state={state} counts={counts} onChange={change} />, [filterKey, counts]);
  return (
    // One tree for both, so that the box keeps its focus when the first key leaves the landing.
    <div class={isLanding ? 'landing' : 'search-page'}>
      <h1 class={isLanding ? '' : 'hidden'}>{isLanding ? 'Find the right tool.' : 'Search'}</h1>
      {isLanding && (
        <p class="lead">
          Dowser searches everything your agents can use, by keyword and by meaning, and explains every score.
        </p>
      )}
      <SearchBox
        value={state.query}
        label="Search"
        placeholder="Search servers, tools, agents, skills and packages"
        onType={type}
      />
      {body === null ? (
        <Welcome />
      ) : (
        <>
          <Chips state={state} onChange={change} />
          <details class="filters-toggle">
            <summary>Filters</summary>
            {filters}
          </details>
          <aside aria-label="Filters">{filters}</aside>
          <div class="found" aria-busy={isStale}>
            <FailureNote failure={failure} />
            {results}
          </div>
        </>
      )}
    </div>
  );
}

interface FoundProps {
  readonly answer: SearchAnswer;
  /** How many matches are hidden, because they hardly match. */
  readonly weak: number;
  /** Its counts are there. */
  readonly isSettled: boolean;
  readonly state: SearchState;
  readonly body: SearchBody;
  readonly onChange: (next: Partial<SearchState>) => void;
}

function Found({ answer, weak, isSettled, state, body, onChange }: FoundProps) {
  const [asksWhyNot, setAsksWhyNot] = useState(false);
  return (
    <>
      <div class="found-head">
        <Summary answer={answer} isSettled={isSettled} />
        <button
          type="button"
          class="quiet-button"
          aria-expanded={asksWhyNot}
          onClick={() => setAsksWhyNot(!asksWhyNot)}
        >
          Is something missing?
        </button>
        <button
          type="button"
          class="quiet-button"
          aria-pressed={state.isGrouped}
          onClick={() => onChange({ isGrouped: !state.isGrouped, page: state.page })}
        >
          Group by type
        </button>
      </div>
      {asksWhyNot && <WhyNot state={state} body={body} onChange={onChange} />}
      <Warnings list={answer.warnings} />
      <Results
        answer={answer}
        body={body}
        isGrouped={state.isGrouped}
        page={state.page}
        matches={isSettled ? answer.total_candidates : 0}
        weak={weak}
        onWeak={() => onChange({ isWeak: true })}
        onTag={(tag) => onChange({ tags: [...new Set([...state.tags, tag])] })}
        onPage={(page) => onChange({ page })}
      />
    </>
  );
}

/** The tags, the ranking and the weak matches of the address, each with a way to remove it. */
function Chips({
  state,
  onChange,
}: {
  readonly state: SearchState;
  readonly onChange: (next: Partial<SearchState>) => void;
}) {
  const { preset, isWeak } = state;
  if (state.tags.length === 0 && preset === '' && !isWeak) return null;
  return (
    <div class="tags chips">
      {preset !== '' && (
        <button type="button" class="tag chosen" onClick={() => onChange({ preset: '' })}>
          ranking: <bdi>{preset}</bdi> ×
        </button>
      )}
      {isWeak && (
        <button type="button" class="tag chosen" onClick={() => onChange({ isWeak: false })}>
          with weak matches ×
        </button>
      )}
      {state.tags.map((tag) => (
        <button
          type="button"
          class="tag chosen"
          key={tag}
          aria-label={`Remove the tag ${tag}`}
          onClick={() => onChange({ tags: state.tags.filter((one) => one !== tag) })}
        >
          <bdi>#{tag}</bdi> ×
        </button>
      ))}
    </div>
  );
}
