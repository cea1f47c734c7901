import { useState } from 'preact/hooks';
import { checkDescription } from '../../lint/description.ts';
import { entityHref } from '../navigation.ts';
import { Disclosure } from '../parts/disclosure.tsx';
import { Link } from '../parts/link.tsx';
import { PublisherIcon } from '../parts/publisher-icon.tsx';
import { SchemaForm } from '../parts/schema-form.tsx';
import { things } from '../words.ts';
import type { ListedTool } from './shown-entity.ts';
import { SimilarTools } from './similar-tools.tsx';
import { ToolAnnotations } from './tool-annotations.tsx';
import { TryTool } from './try-tool.tsx';

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
