import { useState } from 'preact/hooks';
import { api, type EntityType, idOf, type Result, type SearchAnswer, type SearchBody } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { hasName, shownName } from '../data/words.ts';
import { StateBadges, TypeBadge } from '../parts/badges.tsx';
import { Confidence } from '../parts/confidence.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { FoldedText } from '../parts/folded-text.tsx';
import { Highlight } from '../parts/highlight.tsx';
import { SchemaForm } from '../parts/schema-form.tsx';
import type { ShownTool } from './hits.ts';
import { hitOf, ownSchema, toolsOf } from './hits.ts';
import { ResultLink } from './result-link.tsx';
import { Why } from './why.tsx';

interface ToolDetailsProps {
  readonly tool: ShownTool;
  readonly query: string;
  readonly owner: { readonly type: EntityType; readonly path: string };
}

const MAX_TAGS = 6;
const MAX_TOOLS = 3;

interface ResultCardProps {
  readonly answer: SearchAnswer;
  readonly result: Result;
  readonly body: SearchBody;
  readonly onTag: (tag: string) => void;
}

export function ResultCard({ answer, result, body, onTag }: ResultCardProps) {
  const [showsWhy, setShowsWhy] = useState(false);
  const hit = hitOf(answer, result);
  const { query } = answer;
  const isTextQuery = query !== '' && query !== '*';
  const id = idOf(result);
  const { origin } = result;
  return (
    <li class="card result">
      <div class="result-head">
        <h3>
          {origin === undefined ? (
            <ResultLink href={entityHref(id)}>
              <Highlight text={shownName(result)} query={query} />
            </ResultLink>
          ) : (
            <Highlight text={shownName(result)} query={query} />
          )}
        </h3>
        <TypeBadge type={result.entity_type} />
        <StateBadges
          {...(hit?.status === undefined ? {} : { status: hit.status })}
          {...(hit?.is_enabled === undefined ? {} : { isEnabled: hit.is_enabled })}
          health={result.health_status}
          drifted={result.drifted}
        />
        {isTextQuery && <Confidence value={result.confidence} />}
      </div>
      {origin !== undefined && (
        <p class="origin">
          Found at <bdi>{origin.peer}</bdi>, not registered here:{' '}
          <a href={origin.url} rel="noopener noreferrer">
            <bdi>{origin.url}</bdi>
          </a>
        </p>
      )}
      {hasName(result) && (
        <p class="path">
          <bdi>{result.path}</bdi>
        </p>
      )}
      <Texts result={result} query={query} />
      {origin === undefined && <Tools answer={answer} result={result} />}
      <div class="result-foot">
        <span class="tags">
          {result.tags.slice(0, MAX_TAGS).map((tag) => (
            <button type="button" class="tag" key={tag} onClick={() => onTag(tag)}>
              <bdi>#{tag}</bdi>
            </button>
          ))}
        </span>
        {isTextQuery && origin === undefined && (
          <button type="button" class="quiet-button" aria-expanded={showsWhy} onClick={() => setShowsWhy(!showsWhy)}>
            Why?
          </button>
        )}
      </div>
      {showsWhy && <Why id={id} body={body} />}
    </li>
  );
}

/** The description, and the text that matched if it is another. */
function Texts({ result, query }: { readonly result: Result; readonly query: string }) {
  const { description, match_context: found, matched_unit: unit } = result;
  const isPart = unit.kind !== 'card' && unit.kind !== 'tool';
  const isOther =
    found !== null && (description === '' ? found !== shownName(result) : isPart && !description.startsWith(found));
  return (
    <>
      {description !== '' && <FoldedText text={description} query={query} />}
      {isOther && (
        <p class="text snippet">
          <Highlight text={found} query={query} />
        </p>
      )}
    </>
  );
}

function Tools({ answer, result }: { readonly answer: SearchAnswer; readonly result: Result }) {
  const [showsAll, setShowsAll] = useState(false);
  const tools = toolsOf(answer, result);
  const owner = { type: result.entity_type, path: result.path };
  if (result.entity_type === 'tool') {
    const own = { name: 'parameters', description: '', schema: ownSchema(answer, result) ?? {} };
    return <ToolDetails tool={own} query="" owner={owner} />;
  }
  const { matched_unit: unit } = result;
  const matched = unit.kind === 'tool' ? unit.title : undefined;
  const shown = showsAll ? tools : tools.slice(0, MAX_TOOLS);
  return (
    <>
      {shown.map((tool) => (
        // Words are marked in the tool that matched, not in those that come with it.
        <ToolDetails key={tool.name} tool={tool} query={tool.name === matched ? answer.query : ''} owner={owner} />
      ))}
      {tools.length > shown.length && (
        <button type="button" class="quiet-button" onClick={() => setShowsAll(true)}>
          {tools.length - shown.length} more matching
        </button>
      )}
    </>
  );
}

/** A tool in one line. One click shows its parameters. */
function ToolDetails({ tool, query, owner }: ToolDetailsProps) {
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
