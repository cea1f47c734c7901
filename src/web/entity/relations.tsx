import { useEffect, useState } from 'preact/hooks';
import { api, type EntityType, idOf } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { shownName } from '../data/words.ts';
import { TypeBadge } from '../parts/badges.tsx';
import { Link } from '../parts/link.tsx';
import { HEIGHT, WIDTH } from './graph-size.ts';
import type { GraphLayout, GraphNode } from './relation-layout.ts';

const MAX_CHARS = 20;

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

/** A picture of the list below it, which screen readers read instead. */
function RelationGraph({ layout: { nodes, links } }: { readonly layout: GraphLayout }) {
  const center = nodes.find(({ isCenter }) => isCenter) ?? { x: WIDTH / 2, y: HEIGHT / 2 };
  return (
    <svg class="graph" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {links.map(({ to, relation, weight }) => (
        <line key={to.id} x1={center.x} y1={center.y} x2={to.x} y2={to.y} stroke-width={1 + 2 * weight}>
          <title>{relation.toLowerCase().replaceAll('_', ' ')}</title>
        </line>
      ))}
      {nodes.map((node) => (
        <Node key={node.id} node={node} />
      ))}
    </svg>
  );
}

function Node({ node }: { readonly node: GraphNode }) {
  const short = [...node.name].slice(0, MAX_CHARS).join('');
  return (
    <g class={node.isCenter ? 'node center' : 'node'} transform={`translate(${node.x} ${node.y})`}>
      <title>{node.name}</title>
      <circle r={node.isCenter ? 10 : 6} />
      <text y={node.isCenter ? 26 : 20}>{short === node.name ? short : `${short}…`}</text>
    </g>
  );
}
