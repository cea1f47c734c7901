import { useState } from 'preact/hooks';
import { api, type OperationResult } from '../data/api.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { dateText } from '../data/words.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { toggled } from '../search/search-state.ts';

type Key = OperationResult<'listKeys'>['keys'][number];
type Created = OperationResult<'createKey'>;
type Scope = Key['scopes'][number];

const SCOPES: readonly Scope[] = ['read', 'write', 'admin', 'metrics', 'call:read', 'call:write', 'call:destructive'];
const DAYS = [7, 30, 90, 365] as const;

/** The keys of this server: made here, shown once, refused when they are revoked. */
export function Keys() {
  const { latest, failure, reload } = useLoad('keys', (signal) => api.listKeys({}, { signal }));
  const keys = latest?.keys ?? [];
  return (
    <section class="section" aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <NewKey onCreated={reload} />
      <FailureNote failure={failure} />
      {latest !== undefined && keys.length === 0 && <p class="quiet">There are no keys yet.</p>}
      <ul class="stack keys">
        {keys.map((key) => (
          <li key={key.id} class="card">
            <KeyRow apiKey={key} onRevoked={reload} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NewKey({ onCreated }: { readonly onCreated: () => void }) {
  const [name, setName] = useState('');
  const [groups, setGroups] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState('90');
  const [created, setCreated] = useState<Created>();
  const create = useAction(async () => {
    setCreated(undefined);
    const list = groups.split(',').map((group) => group.trim());
    const body = {
      name: name.trim(),
      groups: list.filter((group) => group !== ''),
      scopes: [...scopes],
      expires_in_days: days === '' ? null : Number(days),
    };
    setCreated(await api.createKey({ body }));
    setName('');
    onCreated();
  });
  return (
    <form
      class="card form"
      aria-label="New key"
      onSubmit={(event) => {
        event.preventDefault();
        create.run();
      }}
    >
      <Field label="Name of the new key" value={name} onType={setName} placeholder="ci" isRequired />
      <fieldset>
        <legend>It may</legend>
        <div class="row">
          {SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={() => setScopes(toggled(scopes, scope) as readonly Scope[])}
              />
              {scope}
            </label>
          ))}
        </div>
      </fieldset>
      <Field
        label="Groups, with commas between them"
        value={groups}
        onType={setGroups}
        placeholder="payments, search"
      />
      <label class="stacked">
        <span class="legend">Expires</span>
        <select value={days} onChange={(event) => setDays(event.currentTarget.value)}>
          {DAYS.map((count) => (
            <option key={count} value={String(count)}>
              after {count} days
            </option>
          ))}
          <option value="">never</option>
        </select>
      </label>
      <button type="submit" class="primary" disabled={create.isRunning || name.trim() === '' || scopes.length === 0}>
        Create the key
      </button>
      <FailureNote failure={create.failure} />
      {created !== undefined && (
        <div role="status" class="stack">
          <p>
            <strong>Copy the key of {created.name} now.</strong> It is not stored, and not shown again.
          </p>
          <CodeBlock text={created.key} />
        </div>
      )}
    </form>
  );
}

function KeyRow({ apiKey: key, onRevoked }: { readonly apiKey: Key; readonly onRevoked: () => void }) {
  const revoke = useAction(async () => {
    await api.revokeKey({ params: { id: key.id } });
    onRevoked();
  });
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
  const isOver = key.revoked_at !== null || isExpired;
  return (
    <>
      <div class="row">
        <strong>
          <bdi>{key.name}</bdi>
        </strong>
        {key.scopes.map((scope) => (
          <span key={scope} class="badge">
            {scope}
          </span>
        ))}
        {isOver && <span class="badge bad">{key.revoked_at === null ? 'expired' : 'revoked'}</span>}
        {!isOver && (
          <span class="end">
            <ConfirmButton label="Revoke" confirmLabel={`Revoke ${key.name} now`} action={revoke} isSmall />
          </span>
        )}
      </div>
      <p class="quiet">
        {key.groups.length > 0 && (
          <>
            Groups: <bdi>{key.groups.join(', ')}</bdi>.{' '}
          </>
        )}
        {key.servers !== null && (
          <>
            Calls tools of <bdi>{key.servers.join(', ')}</bdi>.{' '}
          </>
        )}
        Created {dateText(key.created_at)}. {endText(key)}
      </p>
      <FailureNote failure={revoke.failure} />
    </>
  );
}

function endText({ revoked_at, expires_at }: Key): string {
  if (revoked_at !== null) return `Revoked ${dateText(revoked_at)}.`;
  return expires_at === null ? 'Never expires.' : `Expires ${dateText(expires_at)}.`;
}
