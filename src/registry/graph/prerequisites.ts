import type { Store } from '../../engines/store.ts';
import type { Prerequisites } from '../../model/answer/result.ts';
import { type Status, splitEntityId } from '../../model/entity.ts';
import { otherEnd } from '../../model/entity-parts/edge.ts';
import { COMPLETING_TYPES, completeSet, type FoundNodes, type SetMember } from '../../recommend/complete-set.ts';
import { edgeWords } from '../../recommend/edge-words.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';
import { nodesOf, shownNodes } from '../../search/ranking/candidates/graph-links.ts';
import type { GraphView } from './graph-view.ts';
import { type ResolvedNode, resolveNodes } from './resolve-nodes.ts';

/** The most members of the group. */
const MAX_MEMBERS = 10;
/** The first results; a group for later ones would be noise. */
const MAX_RESULTS = 10;
const EDGES_EACH = 50;

export interface PrerequisiteParts {
  readonly store: Store;
  readonly graph: Pick<GraphView, 'around'>;
  readonly readers: readonly string[] | undefined;
  readonly now: () => number;
}

/** What results need first, and what is used with them. Beside the results: their order stays. */
export async function prerequisitesOf(
  parts: PrerequisiteParts,
  found: readonly FoundNodes[],
  statuses: readonly Status[] | undefined,
): Promise<{ readonly group: Prerequisites; readonly warning: string | null }> {
  const results = found.slice(0, MAX_RESULTS);
  const { around, warning } = await parts.graph.around(
    results.flatMap(({ nodes }) => nodes),
    { types: COMPLETING_TYPES, limit: EDGES_EACH },
    parts,
  );
  const members = completeSet(results, around, parts.now());
  const known = await resolveNodes(
    parts.store,
    members.map(({ node }) => node),
  );
  const group: Prerequisites = { needed_first: [], used_with: [] };
  let count = 0;
  for (const member of members) {
    const node = known.get(member.node);
    if (node === undefined || !isUsable(node, statuses) || count >= MAX_MEMBERS) continue;
    count += 1;
    group[member.role].push(toItem(member, node));
  }
  return { group, warning };
}

/** The nodes of the results of a page. */
export function nodesOfPage(page: readonly Candidate[]): readonly FoundNodes[] {
  const top = Math.max(Number.MIN_VALUE, page[0]?.score ?? 0);
  return page.map((candidate) => ({
    nodes: nodesOf(candidate),
    shown: shownNodes(candidate),
    relevance: Math.max(0, candidate.score) / top,
  }));
}

function isUsable({ entity }: ResolvedNode, statuses: readonly Status[] | undefined): boolean {
  return entity.is_enabled && (statuses === undefined || statuses.includes(entity.status));
}

type Item = Prerequisites['needed_first'][number];

function toItem({ node, edge, score }: SetMember, { entity, tool }: ResolvedNode): Item {
  const { type, path } = splitEntityId(node);
  return {
    entity_type: type,
    path,
    name: tool?.name ?? entity.name,
    description: tool?.description ?? entity.description,
    score: Math.round(score * 10_000) / 10_000,
    relation: edge.type,
    for: splitEntityId(otherEnd(edge, node)).path,
    why: edgeWords(edge),
    provenance: edge.provenance,
  };
}
