import type { SearchAnswer } from '../api.ts';
import { countText, typeWord } from '../words.ts';
import { PRESET_NAMES } from './preset-names.ts';
import { type SearchState, toggled } from './search-state.ts';

const MAX_TAGS = 12;
const LIFECYCLE = [
  ['draft', 'Drafts'],
  ['deprecated', 'Deprecated'],
  ['disabled', 'Disabled'],
] as const;

interface FiltersProps {
  readonly state: SearchState;
  readonly answer: SearchAnswer | undefined;
  readonly onChange: (change: Partial<SearchState>) => void;
}

/** Types, tags, lifecycle and ranking. The counts are of all matches, not of the page. */
export function Filters({ state, answer, onChange }: FiltersProps) {
  return (
    <div class="filters">
      <TypeFilter state={state} answer={answer} onChange={onChange} />
      <TagFilter state={state} answer={answer} onChange={onChange} />
      <fieldset>
        <legend>Include</legend>
        {LIFECYCLE.map(([name, text]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={state.include.includes(name)}
              onChange={() => onChange({ include: toggled(state.include, name) })}
            />
            {text}
          </label>
        ))}
      </fieldset>
      <label class="stacked">
        <span class="legend">Ranking</span>
        <select value={state.preset} onChange={(event) => onChange({ preset: event.currentTarget.value })}>
          <option value="">default</option>
          {PRESET_NAMES.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function TypeFilter({ state, answer, onChange }: FiltersProps) {
  const counted = answer?.facets?.entity_type ?? [];
  const missing = state.types.filter((type) => !counted.some(({ value }) => value === type));
  const rows = [...counted, ...missing.map((value) => ({ value, count: 0 }))];
  return (
    <fieldset>
      <legend>Type</legend>
      {rows.map(({ value, count }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={state.types.includes(value)}
            onChange={() => onChange({ types: toggled(state.types, value) })}
          />
          <span>{typeWord(value, 2)}</span>
          <span class="count">{countText(count)}</span>
        </label>
      ))}
      {rows.length === 0 && <p class="quiet">No matches</p>}
    </fieldset>
  );
}

function TagFilter({ state, answer, onChange }: FiltersProps) {
  const tags = (answer?.facets?.tags ?? []).filter(({ value }) => !hasTag(state, value)).slice(0, MAX_TAGS);
  if (tags.length === 0) return null;
  return (
    <fieldset>
      <legend>Tags</legend>
      <div class="tags">
        {tags.map(({ value, count }) => (
          <button type="button" class="tag" key={value} onClick={() => onChange({ tags: [...state.tags, value] })}>
            <bdi>#{value}</bdi> <span class="count">{countText(count)}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}

const hasTag = ({ tags }: SearchState, tag: string): boolean =>
  tags.some((one) => one.toLowerCase() === tag.toLowerCase());
