import type { Edge } from '../model/edge.ts';
import { edgeWords } from './edge-words.ts';

export const VERDICTS = ['compatible', 'conflicts', 'requires', 'unknown'] as const;
export type Verdict = (typeof VERDICTS)[number];
export const VERDICT_SOURCES = ['declared_dependency', 'graph_edges', 'shared_neighbors', 'none'] as const;

export interface Compatibility {
  readonly verdict: Verdict;
  readonly source: (typeof VERDICT_SOURCES)[number];
  readonly why: readonly string[];
}

const TOGETHER: readonly Edge['type'][] = ['COMPATIBLE_WITH', 'INTEGRATES_WITH', 'POPULAR_WITH', 'PRODUCES_FOR'];

/** Whether two things go together, by the edges between them, else by the neighbors that both go together with. */
export function compatibilityOf(between: readonly Edge[], shared: readonly string[]): Compatibility {
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
