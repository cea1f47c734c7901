import { HEIGHT, WIDTH } from './graph-size.ts';
import type { GraphLayout, GraphNode } from './relation-layout.ts';

const MAX_CHARS = 20;

/** A picture of the list below it, which screen readers read instead. */
export function RelationGraph({ layout: { nodes, links } }: { readonly layout: GraphLayout }) {
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
