import { useState } from 'preact/hooks';
import { api, type OperationResult } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { OperateHead } from './operate-head.tsx';

type Setting = OperationResult<'listSettings'>['settings'][number];

const DEFAULT = 'the default';

/** Every setting as it is, and where its value came from. */
export function SettingsPage() {
  const { value, failure } = useLoad('settings', (signal) => api.listSettings({}, { signal }));
  const [text, setText] = useState('');
  const [onlyOwn, setOnlyOwn] = useState(false);
  const words = text.toLowerCase().split(/\s+/);
  const rows = (value?.settings ?? []).filter(({ name, meaning, origin }) => {
    const all = `${name} ${meaning}`.toLowerCase();
    return (!onlyOwn || origin !== DEFAULT) && words.every((word) => all.includes(word));
  });
  return (
    <>
      <OperateHead title="Settings">
        What this server runs with, and where each value came from. A change needs a restart: use a flag, a variable, or{' '}
        <code>config.json</code> in the data folder.
      </OperateHead>
      <FailureNote failure={failure} />
      {value !== undefined && (
        <>
          <div class="row filter-row">
            <Field label="Find a setting" value={text} onType={setText} placeholder="embeddings" />
            <label class="check">
              <input type="checkbox" checked={onlyOwn} onChange={() => setOnlyOwn(!onlyOwn)} />
              Only what was set
            </label>
            <span class="quiet" role="status">
              {things(rows.length, 'setting')}
            </span>
          </div>
          <dl class="settings">
            {rows.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function SettingRow({ setting: { name, value, is_set, secret, origin, meaning } }: { readonly setting: Setting }) {
  return (
    <div class="card">
      <dt>
        <code>{name}</code>
        <span class={`badge ${origin === DEFAULT ? '' : 'good'}`}>
          <bdi>{origin}</bdi>
        </span>
      </dt>
      <dd>
        <p>
          {secret && is_set ? (
            'set, and not shown'
          ) : (
            <code>
              <bdi>{is_set ? (typeof value === 'string' ? value : JSON.stringify(value)) : 'not set'}</bdi>
            </code>
          )}
        </p>
        <p class="quiet">{plain(meaning)}</p>
      </dd>
    </div>
  );
}

/** Meanings are written for the docs: links become their text. */
const plain = (markdown: string): string =>
  markdown.replace(/\[([^[\]]{1,100})\]\([^()]{1,200}\)/g, '$1').replaceAll('`', '');
