import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useLoad } from '../use-load.ts';
import { type ClientServer, clientConfigs } from './client-configs.ts';

/** The configuration of each client, ready to paste. */
export function Connect({ path }: { readonly path: string }) {
  const [chosen, setChosen] = useState(0);
  const { value, failure } = useLoad(path, (signal) => api.getConnectConfig({ params: { path } }, { signal }));
  const [named] = Object.entries(value?.mcpServers ?? {});
  const configs = named === undefined ? [] : clientConfigs(named[0], named[1] as ClientServer);
  const config = configs[chosen];
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect</h2>
      <FailureNote failure={failure} />
      {value !== undefined && config === undefined && <p class="quiet">It has neither an address nor a command.</p>}
      {config !== undefined && (
        <>
          <fieldset class="row choice">
            <legend class="hidden">Client</legend>
            {configs.map(({ client }, at) => (
              <button
                type="button"
                key={client}
                class="quiet-button"
                aria-pressed={at === chosen}
                onClick={() => setChosen(at)}
              >
                {client}
              </button>
            ))}
          </fieldset>
          <p class="quiet">{config.where}</p>
          <CodeBlock text={config.text} />
          {value?.auth_header_name != null && (
            <p class="quiet">
              It asks for a key in the header <code>{value.auth_header_name}</code>.
            </p>
          )}
        </>
      )}
    </section>
  );
}
