import { useState } from 'preact/hooks';
import { api, idOf } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { shownName } from '../data/words.ts';
import { TypeBadge } from './badges.tsx';

interface EntityPickerProps {
  readonly label: string;
  readonly onPick: (id: string) => void;
}

/** Finds an entity by name, whatever its status, to say which one is meant. */
export function EntityPicker({ label, onPick }: EntityPickerProps) {
  const [text, setText] = useState('');
  const { value } = useLoad(text, async (signal) => {
    if (text.trim() === '') return undefined;
    const all = {
      peers: false,
      include_draft: true,
      include_deprecated: true,
      include_disabled: true,
      min_confidence: 0,
    };
    return api.search({ body: { query: text, max_results: 6, preset: 'keyword', ...all } }, { signal });
  });
  return (
    <div class="picker">
      <label class="stacked">
        <span class="legend">{label}</span>
        <input type="text" value={text} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <ul>
        {(value?.results ?? []).map((result) => (
          <li key={idOf(result)}>
            <button type="button" class="pick" onClick={() => onPick(idOf(result))}>
              <bdi>{shownName(result)}</bdi> <span class="path">{result.path}</span>{' '}
              <TypeBadge type={result.entity_type} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
