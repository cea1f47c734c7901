import type { Explanation } from '../api.ts';
import { decimal } from '../words.ts';

/** Below this share of the score, a part only repairs rounding. */
const MIN_SHARE = 0.0005;

interface NodeProps {
  readonly node: Explanation;
  readonly total: number;
}

export function ExplanationTree({ node, total }: NodeProps) {
  return (
    <ul class="explanation">
      <Node node={node} total={total} />
    </ul>
  );
}

function Node({ node, total }: NodeProps) {
  const parts = (node.parts ?? []).filter(({ value }) => Math.abs(value) > MIN_SHARE * Math.abs(total));
  return (
    <li>
      <Bar node={node} total={total} />
      {parts.length > 0 && (
        <ul>
          {parts.map((part, at) => (
            <Node key={`${part.label} ${at}`} node={part} total={total} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** A part that lowers the score has a bar of its own color. */
function Bar({ node, total }: NodeProps) {
  const share = total === 0 ? 0 : Math.min(1, Math.abs(node.value / total));
  return (
    <div class="bar-row">
      <span class="bar-label">
        <bdi>{node.label}</bdi>
        <span class="bar-detail">{detailText(node.detail)}</span>
      </span>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect class={node.value < 0 ? 'fill minus' : 'fill'} width={share * 100} height="6" />
      </svg>
      <span class="bar-value">{decimal(node.value)}</span>
    </div>
  );
}

function detailText(detail: Explanation['detail']): string {
  if (detail === undefined) return '';
  return Object.entries(detail)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? decimal(value) : value}`)
    .join(', ');
}
