import { useEffect, useState } from 'preact/hooks';
import { api, type EntityType, idOf } from '../api.ts';
import { entityHref } from '../navigation.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { useLoad } from '../use-load.ts';
import { shownName } from '../words.ts';
import { RelationGraph } from './relation-graph.tsx';
import type { GraphLayout } from './relation-layout.ts';

/** The strongest: a graph of more is a knot. */
const MAX_DRAWN = 16;
const MAX_LISTED = 40;

/** Drawn, and as a list for screen readers and details. Nothing without relations. */
export function Relations({
  type,
  path,
  name,
}: {
  readonly type: EntityType;
  readonly path: string;
  readonly name: string;
}) {
  const { value } = useLoad(`${type}:${path}`, (signal) => api.listRelations({ params: { type, path } }, { signal }));
  const relations = value?.relations ?? [];
  const layout = useLayout(`${type}:${path} ${relations.length}`, name, relations);
  if (relations.length === 0) return null;
  return (
    <section aria-labelledby="relations">
      <h2 id="relations">Relations</h2>
      {layout !== undefined && <RelationGraph layout={layout} />}
      <ul class="relation-list">
        {relations.slice(0, MAX_LISTED).map((relation) => (
          <li key={`${relation.relation} ${relation.direction} ${idOf(relation)}`}>
            <span class="relation-word">{relation.relation.toLowerCase().replaceAll('_', ' ')}</span>
            <Link href={entityHref(idOf(relation))}>
              <bdi>{shownName(relation)}</bdi>
            </Link>
            <TypeBadge type={relation.entity_type} />
            <span class="quiet" dir="auto">
              {relation.why}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Drawn = Parameters<typeof import('./relation-layout.ts').layOut>[1];

/** The drawing library is loaded only where there is something to draw. */
function useLayout(key: string, name: string, relations: Drawn): GraphLayout | undefined {
  const [layout, setLayout] = useState<{ readonly key: string; readonly layout: GraphLayout }>();
  useEffect(() => {
    if (relations.length === 0) return;
    import('./relation-layout.ts').then(({ layOut }) =>
      setLayout({ key, layout: layOut(name, relations.slice(0, MAX_DRAWN)) }),
    );
  }, [key]);
  return layout?.key === key ? layout.layout : undefined;
}
