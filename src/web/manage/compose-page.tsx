import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { entityHref, navigate } from '../data/navigation.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { countText, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';

const SHOWN = 60;

interface Tool {
  readonly tool_name: string;
  readonly server_path: string;
}

const keyOf = ({ server_path, tool_name }: Tool): string => `${server_path}#${tool_name}`;

/** A virtual server out of tools of others, by ticking them. */
export function ComposePage() {
  const [filter, setFilter] = useState('');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<ReadonlyMap<string, Tool>>(new Map());
  const { latest, failure } = useLoad(filter, (signal) =>
    api.listToolCatalog({ query: { query: filter.trim(), limit: String(SHOWN) } }, { signal }),
  );
  const tools = latest?.tools ?? [];
  const more = (latest?.total_count ?? 0) - tools.length;
  const create = useAction(async () => {
    const { path } = await api.createVirtualServer({
      body: {
        server_name: name,
        description,
        tool_mappings: [...chosen.values()].map(({ tool_name, server_path }) => ({
          tool_name,
          backend_server_path: server_path,
        })),
      },
    });
    navigate(entityHref(`virtual_server:${path}`));
  });
  const toggle = (tool: Tool) => {
    const next = new Map(chosen);
    if (!next.delete(keyOf(tool))) next.set(keyOf(tool), tool);
    setChosen(next);
  };
  return (
    <>
      <PageHead title="Compose a virtual server">
        Put tools of several servers together as one server: an agent then finds these tools, and nothing else.
      </PageHead>
      <FailureNote failure={failure} />
      <div class="columns">
        <section aria-label="Tools">
          <Field label="Filter" value={filter} onType={setFilter} placeholder="issue" />
          <ul class="ticks">
            {tools.map((tool) => (
              <li key={keyOf(tool)}>
                <label class="check">
                  <input type="checkbox" checked={chosen.has(keyOf(tool))} onChange={() => toggle(tool)} />
                  <span>
                    <code>
                      <bdi>{keyOf(tool)}</bdi>
                    </code>
                    <span class="quiet clamp" dir="auto">
                      {tool.description}
                    </span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          {more > 0 && <p class="quiet">{countText(more)} more: narrow the filter.</p>}
        </section>
        <form
          class="card form"
          onSubmit={(event) => {
            event.preventDefault();
            create.run();
          }}
        >
          <Field label="Name" value={name} onType={setName} isRequired />
          <Field label="Description" value={description} onType={setDescription} />
          <p role="status">{things(chosen.size, 'tool')} chosen</p>
          <ul class="stack">
            {[...chosen].map(([key, tool]) => (
              <li key={key} class="row">
                <code>
                  <bdi>{key}</bdi>
                </code>
                <button type="button" class="small" aria-label={`Remove ${key}`} onClick={() => toggle(tool)}>
                  Remove
                </button>
              </li>
            ))}
          </ul>
          <button type="submit" class="primary" disabled={create.isRunning || chosen.size === 0 || name.trim() === ''}>
            Create
          </button>
          <FailureNote failure={create.failure} />
        </form>
      </div>
    </>
  );
}
