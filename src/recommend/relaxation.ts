import { FACETS, type Facet, type FacetFilter } from '../model/facets.ts';

/** Dropped in this order, each with those before it, until something matches. ToolPilot's order. */
export const RELAXATION_ORDER: readonly Facet[] = ['deployment', 'license', 'category', 'language'];

/** One try: the facets that still count, and those that were dropped. */
export interface RelaxedFilter {
  readonly where: FacetFilter;
  readonly relaxed: readonly Facet[];
}

/**
 * The filters to try, strictest first. The last one has no facets: ToolPilot ends with the language alone, which may leave
 * nothing.
 */
export function relaxations(where: FacetFilter, order: readonly Facet[] = RELAXATION_ORDER): readonly RelaxedFilter[] {
  const given = FACETS.filter((facet) => where[facet] !== undefined);
  const dropped = order.filter((facet) => given.includes(facet));
  const tries: RelaxedFilter[] = [{ where, relaxed: [] }];
  for (let count = 1; count <= dropped.length; count++) {
    const relaxed = dropped.slice(0, count);
    const kept = given.filter((facet) => !relaxed.includes(facet));
    tries.push({ where: Object.fromEntries(kept.map((facet) => [facet, where[facet]])), relaxed });
  }
  return tries;
}
