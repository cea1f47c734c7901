import { useContext } from 'preact/hooks';
import { AccessContext } from '../access/access.ts';
import { api } from '../data/api.ts';
import { useLoad } from '../data/use-load.ts';
import { Keys } from './keys.tsx';
import { OperateHead } from './operate-head.tsx';

/** What each scope allows, in words. */
const RIGHTS = [
  ['read', 'Read and search what you may see.'],
  ['write', 'Add entities, and change your own and those of your groups.'],
  ['admin', 'See and change everything, also sources, keys and the audit log.'],
  ['metrics', 'Collect metrics.'],
  ['call:read', 'Call tools that only read.'],
  ['call:write', 'Call tools that add or change.'],
  ['call:destructive', 'Call every tool.'],
] as const;

/** Who am I, what may I do; and for admins, who else may do what. */
export function AccessPage() {
  const access = useContext(AccessContext);
  const user = access?.user;
  if (user === undefined) return <p class="quiet">Loading…</p>;
  const isKnown = user.auth_method !== 'none';
  const may = (scope: string) => user.scopes.includes(scope) || (!isKnown && user.is_admin);
  return (
    <>
      <OperateHead title="Access">Who you are to this server, what you may do, and who else may.</OperateHead>
      <div class="columns">
        <section class="card" aria-labelledby="me">
          <h2 id="me">You</h2>
          <dl class="facts">
            <div>
              <dt>Name</dt>
              <dd>
                <bdi>{user.username}</bdi>
              </dd>
            </div>
            <div>
              <dt>Known by</dt>
              <dd>
                {
                  { none: 'nothing: this server needs no credentials', key: 'an API key', token: 'a token' }[
                    user.auth_method
                  ]
                }
              </dd>
            </div>
            <div>
              <dt>Groups</dt>
              <dd>
                <bdi>{user.groups.length === 0 ? 'none' : user.groups.join(', ')}</bdi>
              </dd>
            </div>
          </dl>
        </section>
        <section class="card" aria-labelledby="rights">
          <h2 id="rights">You may</h2>
          <ul class="rights">
            {RIGHTS.map(([scope, text]) => (
              <li key={scope} class={may(scope) ? 'yes' : 'no'}>
                <span aria-hidden="true">{may(scope) ? '✓' : '–'}</span>
                <span>
                  <code>{scope}</code> {text}
                  {!may(scope) && <span class="hidden">Not allowed.</span>}
                </span>
              </li>
            ))}
          </ul>
          {access?.canCall === false && (
            <p class="quiet">
              Calls are off on this server, whoever asks. They are turned on with the setting <code>call</code>.
            </p>
          )}
          {access?.canCall === true && user.is_admin && <CallLimit />}
        </section>
      </div>
      {user.is_admin && <Groups />}
      {user.is_admin && access?.canSignIn === true && <Keys />}
      {access?.canSignIn === false && (
        <p class="quiet section">
          This server takes no keys. To give each program a key of its own, start it with <code>--auth</code>.
        </p>
      )}
    </>
  );
}

/** The class of tools above which this server calls none, whatever the scopes of a caller: the setting `call`. */
function CallLimit() {
  const { value } = useLoad('call-limit', (signal) => api.listSettings({}, { signal }));
  const limit = value?.settings.find(({ name }) => name === 'call')?.value;
  if (limit !== 'read' && limit !== 'write') return null;
  return (
    <p class="quiet">
      The setting <code>call</code> of this server is <code>{limit}</code>:{' '}
      {limit === 'read' ? 'it calls only tools that read.' : 'it calls only tools that read, add or change.'}
    </p>
  );
}

/** What the groups of tokens may do: the setting `group_scopes`. */
function Groups() {
  const { value } = useLoad('group-scopes', (signal) => api.listSettings({}, { signal }));
  const map = value?.settings.find(({ name }) => name === 'group_scopes')?.value;
  if (typeof map !== 'object' || map === null) return null;
  return (
    <section class="section" aria-labelledby="groups">
      <h2 id="groups">Groups</h2>
      <dl class="facts">
        {Object.entries(map).map(([group, scopes]) => (
          <div key={group}>
            <dt>
              <bdi>{group}</bdi>
            </dt>
            <dd>{Array.isArray(scopes) ? scopes.join(', ') : ''}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
