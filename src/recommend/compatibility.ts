import type { EntityId } from '../model/entity.ts';
import type { Edge } from '../model/entity-parts/edge.ts';
import { edgeWords } from './edge-words.ts';
import type { PeerVerdict } from './versions/peer-versions.ts';

export const VERDICTS = ['compatible', 'conflicts', 'requires', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];
export const VERDICT_SOURCES = ['declared_dependency', 'graph_edges', 'shared_neighbors', 'none'] as const;

export interface Compatibility {
  readonly verdict: Verdict;
  readonly source: (typeof VERDICT_SOURCES)[number];
  readonly why: readonly string[];
  /** Which versions fit, by the ids of the packages. */
  readonly versions: ReadonlyMap<EntityId, string>;
  /** Only an older version fits. */
  readonly partial: boolean;
}

/** What a package says about the versions of another. */
export interface PeerFact extends PeerVerdict {
  readonly node: EntityId;
}

const TOGETHER: readonly Edge['type'][] = ['COMPATIBLE_WITH', 'INTEGRATES_WITH', 'POPULAR_WITH', 'PRODUCES_FOR'];

/**
 * Whether two things go together: by a stated conflict, by the versions that they declare, by other edges between them, else by
 * the neighbors that both go together with.
 */
export function compatibilityOf(
  between: readonly Edge[],
  shared: readonly string[],
  peers: readonly PeerFact[] = [],
): Compatibility {
  const byPeers = peersSay(peers);
  const isStated = between.some(({ type }) => type === 'CONFLICTS_WITH');
  if (!isStated && byPeers !== null && byPeers.verdict !== 'unknown') return byPeers;
  const { verdict, source, why } = edgesSay(between, shared);
  if (verdict === 'unknown' && byPeers !== null) return byPeers;
  return { verdict, source, why, versions: new Map(), partial: false };
}

function peersSay(peers: readonly PeerFact[]): Compatibility | null {
  if (peers.length === 0) return null;
  const has = (verdict: Verdict) => peers.some((peer) => peer.verdict === verdict);
  return {
    verdict: has('conflicts') ? 'conflicts' : has('compatible') ? 'compatible' : 'unknown',
    source: 'declared_dependency',
    why: peers.map(({ why }) => why),
    versions: new Map(peers.flatMap(({ node, version }) => (version === null ? [] : [[node, version] as const]))),
    partial: peers.some(({ isPartial }) => isPartial),
  };
}

function edgesSay(
  between: readonly Edge[],
  shared: readonly string[],
): Pick<Compatibility, 'verdict' | 'source' | 'why'> {
  const of = (...types: readonly Edge['type'][]) => between.filter(({ type }) => types.includes(type));
  const verdicts = [
    ['conflicts', 'graph_edges', of('CONFLICTS_WITH')],
    ['requires', 'declared_dependency', of('REQUIRES')],
    ['compatible', 'graph_edges', of(...TOGETHER)],
  ] as const;
  for (const [verdict, source, edges] of verdicts) {
    if (edges.length > 0) return { verdict, source, why: edges.map(edgeWords) };
  }
  if (shared.length === 0) return { verdict: 'unknown', source: 'none', why: [] };
  return { verdict: 'unknown', source: 'shared_neighbors', why: [`both are used with ${shared.join(', ')}`] };
}
