import { useState } from 'preact/hooks';
import { api, type OperationResult } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { serversOf } from './client-config.ts';

const REASONS: Readonly<Record<OperationResult<'checkClientServers'>['servers'][number]['state'], string>> = {
  allowed: 'The registry lists this name.',
  hidden: 'It is registered, but private, disabled or a draft.',
  other_name: 'It is registered under another name. Use that name in the configuration:',
  unknown: 'It is not registered.',
};

/** What an editor would refuse that starts only servers of this registry. */
export function PolicyPage() {
  const [text, setText] = useState('');
  const { value, failure } = useLoad(text, async (signal) =>
    text.trim() === '' ? undefined : api.checkClientServers({ body: { servers: serversOf(text) } }, { signal }),
  );
  return (
    <>
      <PageHead title="What would registry-only mode block?">
        See which servers of an MCP client an editor would refuse to start, if it starts only what this registry lists.
        Paste the configuration of the client: names must be the same, letter for letter. Only names, addresses and
        packages leave this page, and nothing is stored. On the command line: <code>dowser registry check</code>.
      </PageHead>
      <div class="columns">
        <TextField
          label="Client configuration"
          value={text}
          onType={setText}
          placeholder='{"mcpServers": {"github": {"url": "https://example.com/mcp"}}}'
        />
        <section aria-label="Verdict" aria-live="polite">
          <FailureNote failure={failure} />
          {value !== undefined && (
            <>
              <h2>
                {value.blocked} of {things(value.servers.length, 'server')} blocked
              </h2>
              <ul class="stack verdicts">
                {value.servers.map(({ name, state, registered }) => (
                  <li key={name} class="card">
                    <span class={`badge ${state === 'allowed' ? 'good' : 'bad'}`}>
                      {state === 'allowed' ? 'allowed' : 'blocked'}
                    </span>{' '}
                    <strong>
                      <bdi>{name}</bdi>
                    </strong>
                    <p dir="auto">{REASONS[state]}</p>
                    {registered !== undefined && (
                      <p dir="auto">
                        <code>
                          <bdi>{registered.name}</bdi>
                        </code>{' '}
                        <Link href={entityHref(`mcp_server:${registered.path}`)}>
                          <bdi>{registered.path}</bdi>
                        </Link>
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      </div>
    </>
  );
}
