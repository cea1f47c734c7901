import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/access.ts';
import { api, type Health } from '../data/api.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { lookAtHealth } from '../shell/health.ts';

/** Set for the tab when its registry was seen empty: the list stays until all is done, or until it is hidden. */
const KEY = 'dowser:first-run';

const EXAMPLES = 'example';

interface Done {
  readonly examples: boolean;
  readonly server: boolean;
  readonly agent: boolean;
}

/** What has been done of the first steps, and whether to show them. Undefined: not known yet. */
export function useFirstRun(health: Health | undefined): {
  readonly done: Done | undefined;
  readonly hide: () => void;
} {
  const entities = health?.index.entities;
  if (entities === 0 && sessionStorage.getItem(KEY) === null) sessionStorage.setItem(KEY, 'shown');
  const [isHidden, setHidden] = useState(false);
  const isShown = !isHidden && sessionStorage.getItem(KEY) === 'shown';
  const { latest } = useLoad(`${isShown} ${entities}`, async (signal) =>
    isShown ? (await api.listSources({}, { signal })).sources : undefined,
  );
  const hide = () => {
    sessionStorage.setItem(KEY, 'hidden');
    setHidden(true);
  };
  if (!isShown || health === undefined || latest === undefined) return { done: undefined, hide };
  const examples = latest.filter(({ kind }) => kind === EXAMPLES).flatMap((source) => source.entities);
  const exampleServers = examples.filter(({ entity_type }) => entity_type === 'mcp_server').length;
  const done = {
    examples: examples.length > 0,
    server: (health.index.by_type.mcp_server ?? 0) > exampleServers,
    agent: (health.server?.mcp_requests ?? 0) > 0,
  };
  return { done: done.examples && done.server && done.agent ? undefined : done, hide };
}

/** What to do with a new registry, each step ticked when it is done. */
export function FirstRun({ done, onHide }: { readonly done: Done; readonly onHide: () => void }) {
  const { isAdmin, mayWrite } = useRights();
  const load = useAction(async () => {
    await api.loadExamples();
    lookAtHealth();
  });
  return (
    <section class="card first-run" aria-labelledby="first-run">
      <div class="row">
        <h2 id="first-run">First steps</h2>
        <button type="button" class="quiet-button" onClick={onHide}>
          Hide
        </button>
      </div>
      <ol>
        <Step title="Load the examples" isDone={done.examples}>
          <p class="quiet">About 250 well-known servers, agents, skills and packages to try a search on.</p>
          {isAdmin ? (
            <button type="button" class="primary" disabled={load.isRunning} onClick={load.run}>
              {load.isRunning ? 'Loading…' : 'Load the examples'}
            </button>
          ) : (
            <CodeBlock text="dowser examples load" />
          )}
          <FailureNote failure={load.failure} />
        </Step>
        <Step title="Add a server" isDone={done.server}>
          <p class="quiet">
            {mayWrite && (
              <>
                <Link href="/ui/add">Register one by its address</Link>, or one that is started by a command:
              </>
            )}
          </p>
          <CodeBlock text="dowser add -- npx -y @modelcontextprotocol/server-memory" />
        </Step>
        <Step title="Connect an agent" isDone={done.agent}>
          <CodeBlock text={`claude mcp add --transport http dowser ${location.origin}/mcp`} />
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li class={isDone ? 'done' : ''}>
      <span class="tick" aria-hidden="true">
        {isDone ? '✓' : ''}
      </span>
      <div class="stack">
        <h3>
          {title} {isDone && <span class="badge good">done</span>}
        </h3>
        {!isDone && children}
      </div>
    </li>
  );
}
