import { useContext, useState } from 'preact/hooks';
import { STATUSES } from '../../model/entity-parts/names.ts';
import { AccessContext, useRights } from '../access/access.ts';
import { api, type Entity, type EntityRecord, type EntityType, splitId } from '../data/api.ts';
import { hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { dateText, shownName } from '../data/words.ts';
import { StateBadges, TypeBadge } from '../parts/badges.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { FoldedText } from '../parts/folded-text.tsx';
import { Link, OutsideLink } from '../parts/link.tsx';
import { PublisherIcon } from '../parts/publisher-icon.tsx';
import { sourceText } from '../parts/source-text.ts';
import { Warnings } from '../parts/warnings.tsx';
import { Changes } from './changes.tsx';
import { Backends, Connect } from './connect.tsx';
import { Relations } from './relations.tsx';
import { shownEntity } from './shown-entity.ts';
import { ToolCard, ToolList } from './tool-list.tsx';

interface LifecycleProps {
  readonly entity: Entity;
  readonly onChanged: () => void;
}

export function EntityPage({ address }: PageProps) {
  const id = address.query.get('id') ?? '';
  // As in an address that was typed or cut: there is nothing to ask the server for.
  return id.includes(':') ? (
    <EntityOf id={id} />
  ) : (
    <>
      <h1>Not found</h1>
      <p>{id === '' ? 'This address names nothing of the registry.' : `“${id}” names nothing of the registry.`}</p>
      <Link href="/">Search the registry</Link>
    </>
  );
}

function EntityOf({ id }: { readonly id: string }) {
  const params = splitId(id);
  const { value, failure, reload } = useLoad(id, (signal) => api.getEntity({ params }, { signal }));
  if (failure !== undefined) {
    return (
      <>
        <h1>Not found</h1>
        <FailureNote failure={failure} />
        <Link href="/">Search the registry</Link>
      </>
    );
  }
  return value === undefined ? (
    <p class="quiet">Loading…</p>
  ) : (
    <Shown key={value.etag} record={value} onChanged={reload} />
  );
}

/** A tool of a server is written with its server: it has no life of its own. */
const isServerTool = ({ entity: { type, path } }: EntityRecord): boolean => type === 'tool' && path.includes('#');

function Shown({ record, onChanged }: { readonly record: EntityRecord; readonly onChanged: () => void }) {
  const { entity } = record;
  const { type, path } = entity;
  const { tools, backends, text } = shownEntity(entity);
  const ownTool = type === 'tool' ? entity : undefined;
  const { mayWrite } = useRights();
  return (
    <article class="entity">
      <Head record={record} />
      <div class="entity-main">
        <Warnings list={record.warnings} />
        <Changes type={type} path={path} onAccepted={onChanged} />
        {ownTool !== undefined && (
          <div class="card">
            <ToolCard tool={ownTool} path={path} />
          </div>
        )}
        {tools.length > 0 && <ToolList tools={tools} server={path} />}
        {text !== '' && (
          <section aria-labelledby="text">
            <h2 id="text">Text</h2>
            <pre class="prose" dir="auto">
              {text}
            </pre>
          </section>
        )}
        <Relations type={type} path={path} name={shownName(entity)} />
      </div>
      <div class="entity-side">
        {type === 'mcp_server' && <Connect path={path} />}
        {type === 'virtual_server' && <Backends paths={backends} />}
        <Facts record={record} />
        {mayWrite && !isServerTool(record) && <Lifecycle entity={entity} onChanged={onChanged} />}
      </div>
    </article>
  );
}

function Head({ record: { entity } }: { readonly record: EntityRecord }) {
  const { type, path, description, status, is_enabled, tags } = entity;
  const { user } = useContext(AccessContext) ?? {};
  const twin = `/api/entities/${type}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (
    <header class="entity-head">
      <div class="row">
        <PublisherIcon icons={shownEntity(entity).icons} name={shownName(entity)} />
        <h1>
          <bdi>{shownName(entity)}</bdi>
        </h1>
        <TypeBadge type={type} />
        <StateBadges status={status} isEnabled={is_enabled} />
        {/* A link sends no key. */}
        {(user === undefined || user.auth_method === 'none') && (
          <a class="json-link" href={twin}>
            JSON
          </a>
        )}
      </div>
      <p class="path">
        <bdi>{path}</bdi>
      </p>
      {description !== '' && <FoldedText text={description} class="lead prewrap" />}
      <div class="tags">
        {tags.map((tag) => (
          <Link key={tag} href={hrefOf('/', { tag })} class="tag">
            <bdi>#{tag}</bdi>
          </Link>
        ))}
      </div>
    </header>
  );
}

function Facts({ record }: { readonly record: EntityRecord }) {
  const { facts, links } = shownEntity(record.entity);
  const { type, path } = record.entity;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        {links.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <OutsideLink href={value} />
            </dd>
          </div>
        ))}
        <SourceNote type={type} path={path} />
        <dt>Updated</dt>
        <dd>{dateText(record.updated_at)}</dd>
      </dl>
    </section>
  );
}

/** Where an entity came from, and whether that answers. */
function SourceNote({ type, path }: { readonly type: EntityType; readonly path: string }) {
  const { value } = useLoad(`${type}:${path}`, (signal) => api.listSources({}, { signal }));
  if (value === undefined) return null;
  const source = value.sources.find(({ entities }) =>
    entities.some((one) => one.entity_type === type && one.path === path),
  );
  const liveness = source?.entities.find((one) => one.entity_type === type && one.path === path)?.liveness;
  return (
    <>
      <dt>Source</dt>
      <dd>{source === undefined ? 'written by hand or through the API' : sourceText(source)}</dd>
      <dt>Liveness</dt>
      <dd>
        {liveness == null ? (
          'never checked'
        ) : (
          <>
            <span class={`badge ${liveness.state === 'alive' ? 'good' : 'bad'}`}>{liveness.state}</span>{' '}
            {dateText(liveness.checked_at)}
            {liveness.error !== undefined && <p class="quiet">{liveness.error}</p>}
          </>
        )}
      </dd>
    </>
  );
}

/** Enable, disable, change the status, delete. */
function Lifecycle({ entity, onChanged }: LifecycleProps) {
  const { type, path, is_enabled: isEnabled } = entity;
  const [status, setStatus] = useState<string>(entity.status);
  const params = { type, path };
  const patch = async (body: Record<string, unknown>) => {
    await api.patchEntity({ params, body });
    onChanged();
  };
  const toggle = useAction(() => patch({ is_enabled: !isEnabled }));
  const save = useAction(() => patch({ status }));
  const remove = useAction(async () => {
    await api.deleteEntity({ params });
    navigate('/');
  });
  return (
    <section aria-labelledby="lifecycle">
      <h2 id="lifecycle">Lifecycle</h2>
      <div class="row">
        <select
          aria-label="Status"
          class="narrow"
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value)}
        >
          {STATUSES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="button" disabled={save.isRunning || status === entity.status} onClick={save.run}>
          Save the status
        </button>
        <button type="button" disabled={toggle.isRunning} onClick={toggle.run}>
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
        <ConfirmButton label="Delete" confirmLabel="Delete for good" action={remove} />
      </div>
      <FailureNote failure={toggle.failure ?? save.failure ?? remove.failure} />
    </section>
  );
}
