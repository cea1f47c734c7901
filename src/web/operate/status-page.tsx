import { useRights } from '../access/access.ts';
import { api, type Health } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { countText, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { sourceText } from '../parts/source-text.ts';
import { lookAtHealth, useHealth } from '../shell/health.ts';
import { ActivityCharts } from './activity.tsx';
import { OperateHead } from './operate-head.tsx';

/** The index, the model, the sources, and what changed. */
export function StatusPage() {
  const { health } = useHealth();
  const { isAdmin } = useRights();
  const reindex = useAction(async () => {
    await api.reindex({ body: { all: true } });
    lookAtHealth();
  });
  const cleanUp = useAction(async () => {
    await api.cleanUpStaleVectors({ body: { all: true } });
    lookAtHealth();
  });
  if (health === undefined) return <p class="quiet">Loading…</p>;
  const { reindexing } = health.embedder;
  return (
    <>
      <OperateHead title="Status">
        Whether this server works well: its index, model, load and sources, and what needs attention.
      </OperateHead>
      <div class="columns">
        <section class="card" aria-labelledby="index">
          <h2 id="index">Index</h2>
          <Numbers health={health} />
        </section>
        <section class="card" aria-labelledby="model">
          <h2 id="model">Embedding model</h2>
          <p>
            <span class={`badge ${health.embedder.state === 'ready' ? 'good' : 'warn'}`}>{health.embedder.state}</span>{' '}
            <code>{health.embedder.id ?? 'none'}</code>
          </p>
          {health.embedder.error !== undefined && <p class="quiet">{health.embedder.error}</p>}
          {isAdmin && (
            <div class="row actions">
              <button type="button" disabled={reindex.isRunning || health.embedder.id === null} onClick={reindex.run}>
                Re-embed everything
              </button>
              <button
                type="button"
                disabled={cleanUp.isRunning || health.index.stale_vectors === 0}
                onClick={cleanUp.run}
              >
                Delete stale vectors
              </button>
            </div>
          )}
          {reindexing !== undefined && reindexing.failed === undefined && (
            <p role="status">
              <progress value={reindexing.done} max={Math.max(1, reindexing.total)} aria-label="Entities embedded" />{' '}
              {countText(reindexing.done)} of {countText(reindexing.total)}
            </p>
          )}
          <FailureNote failure={reindex.failure ?? cleanUp.failure ?? failureOf(health)} />
        </section>
      </div>
      {isAdmin && <ActivityCharts />}
      <Sources />
    </>
  );
}

const failureOf = ({ embedder: { reindexing } }: Health) =>
  reindexing?.failed === undefined
    ? undefined
    : { ...reindexing.failed, code: 'EMBEDDER_UNAVAILABLE' as const, hint: undefined };

function Numbers({ health: { index, store, version } }: { readonly health: Health }) {
  const rows = [
    ['Entities', countText(index.entities)],
    ['Units', countText(index.units)],
    ['Vectors', countText(index.vectors)],
    ['Missing vectors', countText(index.missing_vectors)],
    ['Stale vectors', countText(index.stale_vectors)],
    ['Engine', store.engine],
    ['Version', version],
  ] as const;
  return (
    <dl class="facts">
      {rows.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sources() {
  const { value, failure } = useLoad('sources', async (signal) => ({
    ...(await api.listSources({}, { signal })),
    drifted: (await api.listDrift({}, { signal })).entities,
  }));
  if (value === undefined) return <FailureNote failure={failure} />;
  const dead = value.sources.flatMap(({ entities }) => entities.filter(({ liveness }) => liveness?.state === 'dead'));
  return (
    <>
      <section class="section" aria-labelledby="attention">
        <h2 id="attention">Needs attention</h2>
        {dead.length + value.drifted.length === 0 && <p class="quiet">Nothing.</p>}
        <ul class="stack">
          {dead.map(({ entity_type, path }) => (
            <li key={`dead ${path}`} class="row">
              <span class="badge bad">does not answer</span>
              <Link href={entityHref(`${entity_type}:${path}`)}>
                <bdi>{path}</bdi>
              </Link>
            </li>
          ))}
          {value.drifted.map(({ entity_type, path, drift }) => (
            <li key={`changed ${path}`} class="row">
              <span class="badge warn">changed</span>
              <Link href={entityHref(`${entity_type}:${path}`)}>
                <bdi>{path}</bdi>
              </Link>
              <span class="quiet">
                {things(drift.added.length + drift.removed.length + drift.changed.length, 'definition')}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section class="section" aria-labelledby="sources">
        <h2 id="sources">Sources</h2>
        {value.sources.length === 0 && <p class="quiet">Everything was written by hand or through the API.</p>}
        <ul class="stack">
          {value.sources.map(({ kind, locator, entities }) => (
            <li key={`${kind} ${JSON.stringify(locator)}`} class="row">
              <span class="badge">{kind}</span>
              <code>
                <bdi>{sourceText({ kind, locator })}</bdi>
              </code>
              <span class="quiet">{things(entities.length, 'entity', 'entities')}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
