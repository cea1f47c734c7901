import { useEffect, useState } from 'preact/hooks';
import { api, idOf, type OperationResult } from '../data/api.ts';
import { entityHref, hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { countText, TYPES, things, typeWord } from '../data/words.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { MapPicture } from './map-picture.tsx';
import { amid, isSeen, type MapPoint, nearestTo, type View, WHOLE } from './view.ts';

type CatalogMap = OperationResult<'getMap'>;

const RESULTS = 20;
const LISTED = 50;
/** Points around the one that is shown. */
const AROUND = 12;
const MIN_CLOSE = 2;
/** A new map is computed at most once in that time. */
const AGAIN_MS = 10_000;

/** The catalog in two dimensions, with a query and its results in it. The list has the same in words. */
export function MapPage({ address: { query } }: PageProps) {
  const q = query.get('q') ?? '';
  const { value, failure, reload } = useLoad('map', (signal) => api.getMap({}, { signal, timeoutMs: 60_000 }));
  useEffect(() => {
    if (value?.is_current !== false) return undefined;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [value, reload]);
  return (
    <>
      <PageHead title="Map">
        Everything in this registry at a glance: what is close in meaning is close to each other.
      </PageHead>
      <SearchBox
        value={q}
        label="Search on the map"
        placeholder="Search on the map"
        onType={(next) => navigate(hrefOf('/ui/map', { q: next }), 'replace')}
      />
      <FailureNote failure={failure} />
      {value === undefined && failure === undefined && <p role="status">Placing the entities…</p>}
      {value !== undefined && (value.points.length === 0 ? <NoMap map={value} /> : <Catalog map={value} query={q} />)}
    </>
  );
}

function NoMap({ map: { embedder, total } }: { readonly map: CatalogMap }) {
  if (total === 0) return <p class="empty">The registry is empty.</p>;
  return (
    <p class="empty">
      {embedder === null
        ? 'The map needs an embedding model, and this server has none.'
        : 'No vector is there yet. Come back when the embedding model has read the entities.'}
    </p>
  );
}

function Catalog({ map, query }: { readonly map: CatalogMap; readonly query: string }) {
  const { points } = map;
  const [view, setView] = useState<View>(WHOLE);
  const [chosen, setSelected] = useState<MapPoint>();
  const { latest } = useLoad(query, async (signal) =>
    query.trim() === '' ? undefined : api.search({ body: { query, max_results: RESULTS } }, { signal }),
  );
  const answer = query.trim() === '' ? undefined : latest;
  const byId = new Map(points.map((point) => [idOf(point), point]));
  // A new map has points of its own.
  const selected = chosen && byId.get(idOf(chosen));
  const found = (answer?.results ?? []).flatMap((result) => {
    const point = byId.get(idOf(result));
    return point === undefined ? [] : [{ point, weight: result.confidence }];
  });
  const foundPoints = found.map(({ point }) => point);
  const elsewhere = (answer?.results.length ?? 0) - found.length;
  const show = (point: MapPoint) => {
    setSelected(point);
    setView({ x: point.x, y: point.y, zoom: Math.max(view.zoom, MIN_CLOSE, Math.sqrt(points.length / AROUND)) });
  };
  const seen = points.filter((point) => isSeen(view, point));
  const isAnswer = answer !== undefined && selected === undefined;
  const listed = isAnswer ? foundPoints : nearestTo(selected ?? view, seen).slice(0, LISTED);
  return (
    <div class="columns map-columns">
      <div>
        <MapPicture
          points={points}
          found={foundPoints}
          query={amid(found)}
          selected={selected}
          view={view}
          onView={setView}
          onSelect={setSelected}
        />
        <Legend map={map} />
      </div>
      <section aria-labelledby="listed">
        <h2 id="listed">{isAnswer ? 'Results' : selected === undefined ? 'In view' : 'Nearby'}</h2>
        <p class="quiet" role="status">
          {isAnswer ? things(listed.length, 'result') : `${things(seen.length, 'entity', 'entities')} in view`}
          {isAnswer && elsewhere > 0 && `, ${countText(elsewhere)} more not on the map`}
          {!isAnswer && seen.length > listed.length && `, the ${LISTED} in the middle are listed`}
        </p>
        {selected !== undefined && (
          <button type="button" class="small" onClick={() => setSelected(undefined)}>
            {answer === undefined ? 'Show what is in view' : 'Back to the results'}
          </button>
        )}
        <ol class="map-list">
          {listed.map((point) => (
            <li key={idOf(point)} aria-current={point === selected ? 'true' : undefined}>
              <Link href={entityHref(idOf(point))}>
                <bdi>{point.name}</bdi>
              </Link>
              <TypeBadge type={point.entity_type} />
              <button
                type="button"
                class="quiet-button"
                aria-label={`Show ${point.name} on the map`}
                onClick={() => show(point)}
              >
                Show
              </button>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}

function Legend({
  map: { points, total, sampled, without_vector: waiting, is_current: isCurrent },
}: {
  readonly map: CatalogMap;
}) {
  const counts = new Map<string, number>();
  for (const { entity_type: type } of points) counts.set(type, (counts.get(type) ?? 0) + 1);
  return (
    <>
      <ul class="legend-list" aria-label="Types">
        {TYPES.filter((type) => counts.has(type)).map((type) => (
          <li key={type}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <path class={`dots of-${type}`} d="M5 5h0" />
            </svg>
            {countText(counts.get(type)!)} {typeWord(type, counts.get(type)!)}
          </li>
        ))}
      </ul>
      {sampled < total && (
        <p class="quiet">
          {countText(sampled)} of {countText(total)} entities, always the same.
        </p>
      )}
      {waiting > 0 && <p class="quiet">{things(waiting, 'entity has', 'entities have')} no place yet.</p>}
      {!isCurrent && <p class="quiet">Something has changed: a new map is being made.</p>}
    </>
  );
}
