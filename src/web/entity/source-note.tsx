import { api, type EntityType } from '../api.ts';
import { sourceText } from '../parts/source-text.ts';
import { useLoad } from '../use-load.ts';
import { dateText } from '../words.ts';

/** Where an entity came from, and whether that answers. */
export function SourceNote({ type, path }: { readonly type: EntityType; readonly path: string }) {
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
