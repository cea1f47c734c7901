import { useState } from 'preact/hooks';
import { entityHref } from '../navigation.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useLoad } from '../use-load.ts';
import { things } from '../words.ts';
import { checkPolicy } from './check-policy.ts';
import { serversOf } from './client-config.ts';

/** What an editor would refuse that starts only servers of this registry. */
export function PolicyPage() {
  const [text, setText] = useState('');
  const { value, failure } = useLoad(text, async (signal) =>
    text.trim() === '' ? undefined : Promise.all(serversOf(text).map((server) => checkPolicy(server, signal))),
  );
  const blocked = (value ?? []).filter(({ isAllowed }) => !isAllowed);
  return (
    <>
      <PageHead title="What would registry-only mode block?">
        Paste the configuration of an MCP client. An editor in registry-only mode starts only servers that its registry
        lists. Nothing that you paste is stored, and only names, addresses and packages are compared.
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
                {blocked.length} of {things(value.length, 'server')} blocked
              </h2>
              <ul class="stack verdicts">
                {value.map(({ server, isAllowed, why, path }) => (
                  <li key={server.name} class="card">
                    <span class={`badge ${isAllowed ? 'good' : 'bad'}`}>{isAllowed ? 'allowed' : 'blocked'}</span>{' '}
                    <strong>
                      <bdi>{server.name}</bdi>
                    </strong>
                    <p dir="auto">
                      {why} {path !== undefined && <Link href={entityHref(`mcp_server:${path}`)}>{path}</Link>}
                    </p>
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
