import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { type ClientServer, clientConfigs, installLinks } from './client-configs.ts';

/** The servers that answer the calls of a virtual server, and how a client connects to each. */
export function Backends({ paths }: { readonly paths: readonly string[] }) {
  const [chosen, setChosen] = useState(0);
  const path = paths[chosen];
  return (
    <>
      <section aria-labelledby="backends">
        <h2 id="backends">{things(paths.length, 'backend')}</h2>
        {paths.length === 0 && <p class="quiet">It has no tools, so no server is behind it.</p>}
        <ul class="stack">
          {paths.map((one) => (
            <li key={one}>
              <Link href={entityHref(`mcp_server:${one}`)}>
                <bdi>{one}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      {path !== undefined && (
        <Connect path={path}>
          <p class="quiet">
            Agents find these tools as one server. To call them, connect your client to{' '}
            {paths.length === 1 ? 'the backend' : 'each backend'}:
          </p>
          {paths.length > 1 && <Choice legend="Backend" options={paths} chosen={chosen} onChoose={setChosen} />}
        </Connect>
      )}
    </>
  );
}

interface ConnectProps {
  readonly path: string;
  /** What comes before the configuration. */
  readonly children?: ComponentChildren;
}

/** The configuration of each client, ready to paste. */
export function Connect({ path, children }: ConnectProps) {
  const [chosen, setChosen] = useState(0);
  const { value, failure } = useLoad(path, (signal) => api.getConnectConfig({ params: { path } }, { signal }));
  const [named] = Object.entries(value?.mcpServers ?? {});
  const configs = named === undefined ? [] : clientConfigs(named[0], named[1] as ClientServer);
  const config = configs[chosen];
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect</h2>
      {children}
      <FailureNote failure={failure} />
      {value !== undefined && config === undefined && <p class="quiet">It has neither an address nor a command.</p>}
      {config !== undefined && (
        <>
          <InstallRow name={named![0]} server={named![1] as ClientServer} command={configs[0]!.text} />
          <Choice legend="Client" options={configs.map(({ client }) => client)} chosen={chosen} onChoose={setChosen} />
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

/** Longer addresses are cut by systems. */
const MAX_LINK = 8000;

/** One click for the clients that have an address for it, a command for Claude. */
function InstallRow({
  name,
  server,
  command,
}: {
  readonly name: string;
  readonly server: ClientServer;
  readonly command: string;
}) {
  const isReachable = 'command' in server || /^https?:/i.test(server.url);
  const links = installLinks(name, server).filter(({ href }) => isReachable && href.length <= MAX_LINK);
  return (
    <div class="row install">
      {links.map(({ client, href }) => (
        <a key={client} class="button" href={href}>
          Install in {client}
        </a>
      ))}
      <CopyButton text={command} label="Copy for Claude Code" />
    </div>
  );
}

interface ChoiceProps {
  readonly legend: string;
  readonly options: readonly string[];
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
}

function Choice({ legend, options, chosen, onChoose }: ChoiceProps) {
  return (
    <fieldset class="row choice">
      <legend class="hidden">{legend}</legend>
      {options.map((option, at) => (
        <button
          type="button"
          key={option}
          class="quiet-button"
          aria-pressed={at === chosen}
          onClick={() => onChoose(at)}
        >
          <bdi>{option}</bdi>
        </button>
      ))}
    </fieldset>
  );
}
