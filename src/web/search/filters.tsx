import { countText, typeWord } from '../data/words.ts';
import { type SearchState, toggled } from './search-state.ts';
import type { Counts } from './use-search.ts';

const MAX_TAGS = 12;
const LIFECYCLE = [
  ['draft', 'Drafts'],
  ['deprecated', 'Deprecated'],
  ['disabled', 'Disabled'],
] as const;

interface FiltersProps {
  readonly state: SearchState;
  readonly counts: Counts | undefined;
  readonly onChange: (change: Partial<SearchState>) => void;
}

/** Types, tags and lifecycle. Rankings are compared on a page of their own. */
export function Filters({ state, counts, onChange }: FiltersProps) {
  return (
    <div class="filters">
      <TypeFilter state={state} counts={counts} onChange={onChange} />
      <TagFilter state={state} counts={counts} onChange={onChange} />
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
    </div>
  );
}

/** A count is what comes if this type alone is chosen, whatever is chosen now. */
function TypeFilter({ state, counts, onChange }: FiltersProps) {
  const counted = counts?.byType ?? new Map<string, number>();
  const missing = state.types.filter((type) => !counted.has(type));
  const rows = [...counted, ...missing.map((type) => [type, 0] as const)];
  return (
    <fieldset>
      <legend>Type</legend>
      {rows.map(([value, count]) => (
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

/** The most frequent first. Without counts: with a tag, another search is asked, which may find more. */
function TagFilter({ state, counts, onChange }: FiltersProps) {
  const tags = (counts?.tags ?? []).filter((tag) => !hasTag(state, tag)).slice(0, MAX_TAGS);
  if (tags.length === 0) return null;
  return (
    <fieldset>
      <legend>Tags</legend>
      <div class="tags">
        {tags.map((tag) => (
          <button type="button" class="tag" key={tag} onClick={() => onChange({ tags: [...state.tags, tag] })}>
            <bdi>#{tag}</bdi>
          </button>
        ))}
      </div>
    </fieldset>
  );
}

const hasTag = ({ tags }: SearchState, tag: string): boolean =>
  tags.some((one) => one.toLowerCase() === tag.toLowerCase());
