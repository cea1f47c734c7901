import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { entityHref, navigate } from '../navigation.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useAction, useLoad } from '../use-load.ts';
import { things } from '../words.ts';

const SHOWN = 60;

/** A virtual server out of tools of others, by ticking them. */
export function ComposePage() {
  const [filter, setFilter] = useState('');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { value, failure } = useLoad('catalog', (signal) => api.listToolCatalog({}, { signal }));
  const tools = (value?.tools ?? []).map((tool) => ({ ...tool, key: `${tool.server_path}#${tool.tool_name}` }));
  const words = filter.toLowerCase().split(/\s+/);
  const matching = tools.filter(({ key, description: text }) =>
    words.every((word) => `${key} ${text}`.toLowerCase().includes(word)),
  );
  const create = useAction(async () => {
    const picked = tools.filter(({ key }) => chosen.has(key));
    const { path } = await api.createVirtualServer({
      body: {
        server_name: name,
        description,
        tool_mappings: picked.map(({ tool_name, server_path }) => ({ tool_name, backend_server_path: server_path })),
      },
    });
    navigate(entityHref(`virtual_server:${path}`));
  });
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  return (
    <>
      <PageHead title="Compose a virtual server">
        Tick the tools that belong together. An agent then finds them as one server, and nothing else.
      </PageHead>
      <FailureNote failure={failure} />
      <div class="columns">
        <section aria-label="Tools">
          <Field label="Filter" value={filter} onType={setFilter} placeholder="github issue" />
          <ul class="ticks">
            {matching.slice(0, SHOWN).map(({ key, description: text }) => (
              <li key={key}>
                <label class="check">
                  <input type="checkbox" checked={chosen.has(key)} onChange={() => toggle(key)} />
                  <span>
                    <code>
                      <bdi>{key}</bdi>
                    </code>
                    <span class="quiet clamp" dir="auto">
                      {text}
                    </span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
          {matching.length > SHOWN && <p class="quiet">{matching.length - SHOWN} more: narrow the filter.</p>}
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
            {[...chosen].map((key) => (
              <li key={key} class="row">
                <code>
                  <bdi>{key}</bdi>
                </code>
                <button type="button" class="small" aria-label={`Remove ${key}`} onClick={() => toggle(key)}>
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
