import { useState } from 'preact/hooks';
import { api, type EntityType } from '../api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Highlight } from '../parts/highlight.tsx';
import { SchemaForm } from '../parts/schema-form.tsx';
import { useLoad } from '../use-load.ts';
import type { ShownTool } from './hits.ts';

interface ToolDetailsProps {
  readonly tool: ShownTool;
  readonly query: string;
  readonly owner: { readonly type: EntityType; readonly path: string };
}

/** A tool in one line. One click shows its parameters. */
export function ToolDetails({ tool, query, owner }: ToolDetailsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="tool" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <code>
          <Highlight text={tool.name} query={query} />
        </code>
        <span class="tool-text">
          <Highlight text={tool.description} query={query} />
        </span>
      </summary>
      {isOpen &&
        (tool.schema === undefined ? <LoadedSchema tool={tool} owner={owner} /> : <SchemaForm schema={tool.schema} />)}
    </details>
  );
}

/** The answer has the schemas of the best tools only. */
function LoadedSchema({ tool, owner }: Omit<ToolDetailsProps, 'query'>) {
  const path = `${owner.path}#${tool.name}`;
  const { value, failure } = useLoad(path, (signal) => api.getEntity({ params: { type: 'tool', path } }, { signal }));
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (value === undefined) return <p class="quiet">Loading…</p>;
  return <SchemaForm schema={'inputSchema' in value.entity ? value.entity.inputSchema : undefined} />;
}
