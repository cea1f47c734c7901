import { FACETS, type Facet, type FacetFilter } from '../model/entity-parts/facets.ts';

/**
 * Dropped in this order, each with those before it, until something matches. ToolPilot's order: its last step keeps the language,
 * since a library of another language cannot be used at all.
 */
export const RELAXATION_ORDER: readonly Facet[] = ['deployment', 'license', 'category'];

/** For a part of a stack, which may be of another language: a database has none. */
export const STACK_RELAXATION_ORDER: readonly Facet[] = [...RELAXATION_ORDER, 'language'];

/** One try: the facets that still count, and those that were dropped. */
export interface RelaxedFilter {
  readonly where: FacetFilter;
  readonly relaxed: readonly Facet[];
}

/** The filters to try, strictest first. What is not in the order is never dropped. */
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
