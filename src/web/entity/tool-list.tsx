import { useState } from 'preact/hooks';
import { checkDescription } from '../../lint/description.ts';
import { api } from '../data/api.ts';
import { isObject } from '../data/json.ts';
import { entityHref } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { Disclosure } from '../parts/disclosure.tsx';
import { Link } from '../parts/link.tsx';
import { PublisherIcon } from '../parts/publisher-icon.tsx';
import { SchemaForm } from '../parts/schema-form.tsx';
import type { ListedTool } from './shown-entity.ts';
import { TryTool } from './try-tool.tsx';

/** The hints of MCP about a tool. They are the publisher's word: nothing checks them. */
const BADGES = [
  ['readOnlyHint', true, 'read-only', 'good'],
  ['destructiveHint', true, 'destructive', 'bad'],
  ['idempotentHint', true, 'idempotent', ''],
  ['openWorldHint', true, 'open world', ''],
  ['openWorldHint', false, 'closed world', ''],
] as const;

/** The cosine from which an agent can hardly tell two tools apart. */
const MIN_SIMILARITY = 0.85;
const MAX_QUERY_CHARS = 2000;

interface SimilarToolsProps {
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

/** More are shown on request: a server may have thousands. */
const SHOWN = 50;

interface ToolListProps {
  readonly tools: readonly ListedTool[];
  /** The path of the server, or undefined for a tool that stands alone. */
  readonly server?: string;
}

export function ToolList({ tools, server }: ToolListProps) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <section aria-labelledby="tools">
      <h2 id="tools">{things(tools.length, 'tool')}</h2>
      <ul class="stack">
        {tools.slice(0, shown).map((tool) => (
          <li key={tool.name} class="card">
            <ToolCard tool={tool} path={server === undefined ? tool.name : `${server}#${tool.name}`} />
          </li>
        ))}
      </ul>
      {tools.length > shown && (
        <button type="button" onClick={() => setShown(shown + SHOWN)}>
          Show more of {tools.length}
        </button>
      )}
    </section>
  );
}

export function ToolCard({ tool, path }: { readonly tool: ListedTool; readonly path: string }) {
  const hints = checkDescription(tool);
  const { description = '' } = tool;
  const preview = description !== '' && (
    <p class="text clamp" dir="auto">
      {description}
    </p>
  );
  const summary = (
    <>
      <PublisherIcon icons={tool.icons} name={tool.name} />{' '}
      <code>
        <bdi>{tool.name}</bdi>
      </code>{' '}
      <ToolAnnotations annotations={tool.annotations} />
      {hints.length > 0 && <span class="badge warn">{things(hints.length, 'hint')}</span>}
    </>
  );
  return (
    <>
      <Disclosure summary={summary} preview={preview}>
        {description !== '' && (
          <p class="text prewrap" dir="auto">
            {description}
          </p>
        )}
        <h3>Parameters</h3>
        <SchemaForm schema={tool.inputSchema} />
        <TryTool path={path} schema={tool.inputSchema} />
        {tool.outputSchema !== undefined && (
          <>
            <h3>Returns</h3>
            <SchemaForm schema={tool.outputSchema} />
          </>
        )}
        <ul class="hints" aria-label="How to improve the description">
          {hints.map(({ problem, advice }) => (
            <li key={problem} class="hint">
              <strong>{problem}</strong> {advice}
            </li>
          ))}
          <SimilarTools path={path} name={tool.name} description={description} />
        </ul>
      </Disclosure>
      {tool.backend !== undefined && (
        <p class="quiet">
          is{' '}
          <Link href={entityHref(`tool:${tool.backend.server}#${tool.backend.tool}`)}>
            <bdi>{`${tool.backend.server}#${tool.backend.tool}`}</bdi>
          </Link>
        </p>
      )}
    </>
  );
}

function ToolAnnotations({ annotations }: { readonly annotations: unknown }) {
  if (!isObject(annotations)) return null;
  return (
    <>
      {BADGES.filter(([name, value]) => annotations[name] === value).map(([, , text, tone]) => (
        <span key={text} class={`badge ${tone}`} title="The publisher says so.">
          {text}
        </span>
      ))}
    </>
  );
}

/** Tools of other servers that say nearly the same. */
function SimilarTools({ path, name, description }: SimilarToolsProps) {
  const query = `${name.replaceAll('_', ' ')}. ${description}`.slice(0, MAX_QUERY_CHARS);
  const { value } = useLoad(path, (signal) =>
    api.search({ body: { query, entity_types: ['tool'], preset: 'vector', max_results: 5, peers: false } }, { signal }),
  );
  const near = (value?.results ?? []).filter(
    (tool) => tool.path !== path && (tool.similarity_score ?? 0) >= MIN_SIMILARITY,
  );
  if (near.length === 0) return null;
  return (
    <li class="hint">
      <strong>Nearly the same as </strong>
      {near.map((tool, at) => (
        <span key={tool.path}>
          {at > 0 && ', '}
          <Link href={entityHref(`tool:${tool.path}`)}>
            <bdi>{tool.path}</bdi>
          </Link>
        </span>
      ))}
      <strong>.</strong> Say what is different, so that an agent can choose.
    </li>
  );
}
