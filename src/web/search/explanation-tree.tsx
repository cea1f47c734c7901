import { isWord, wordLabel } from '../../client/explanations.ts';
import type { Explanation } from '../data/api.ts';
import { decimal } from '../data/words.ts';

/** Below this share of the score, a part only repairs rounding. */
const MIN_SHARE = 0.0005;

interface NodeProps {
  readonly node: Explanation;
  readonly total: number;
  /** Whose words the parts are. */
  readonly query: string;
}

export function ExplanationTree({ node, total, query }: NodeProps) {
  return (
    <ul class="explanation">
      <Node node={node} total={total} query={query} />
    </ul>
  );
}

function Node({ node, total, query }: NodeProps) {
  const parts = (node.parts ?? []).filter(({ value }) => Math.abs(value) > MIN_SHARE * Math.abs(total));
  return (
    <li>
      <Bar node={node} total={total} query={query} />
      {parts.length > 0 && (
        <ul>
          {parts.map((part, at) => (
            <Node key={`${part.label} ${at}`} node={part} total={total} query={query} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** A part that lowers the score has a bar of its own color. */
function Bar({ node, total, query }: NodeProps) {
  const share = total === 0 ? 0 : Math.min(1, Math.abs(node.value / total));
  return (
    <div class="bar-row">
      <span class="bar-label">
        <bdi>{labelText(node, query)}</bdi>
        <span class="bar-detail">{detailText(node)}</span>
      </span>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect class={node.value < 0 ? 'fill minus' : 'fill'} width={share * 100} height="6" />
      </svg>
      <span class="bar-value">{decimal(node.value)}</span>
    </div>
  );
}

/** The steps of the ranking, as a person would call them. */
const LABELS: Readonly<Record<string, string>> = {
  relevance: 'score',
  fusion: 'found',
  vector: 'by meaning',
  keyword: 'by keyword',
  bm25f: 'words',
  card: 'what its description says besides',
  'lowest candidate': 'so that the lowest candidate has 0',
};

function labelText(node: Explanation, query: string): string {
  return isWord(node) ? `“${wordLabel(node.label, query)}”` : (LABELS[node.label] ?? node.label);
}

/** Of a word only how rare it is: the rest is for those who read the JSON. Of a field, nothing. */
function detailText(node: Explanation): string {
  const { detail = {} } = node;
  if (isWord(node)) return `in ${decimal(Number(detail.units_with_term))} of ${decimal(Number(detail.units))} parts`;
  if ('average_length' in detail) return '';
  return Object.entries(detail)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? decimal(value) : value}`)
    .join(', ');
}
