import { LOW_CONFIDENCE } from '../model/answer/low-confidence.ts';
import type { EntityHealth, Stability } from '../model/entity-parts/entity-health.ts';
import { FACETS, type Facet, type FacetFilter, facetKey, hasFacet } from '../model/entity-parts/facets.ts';

export interface ReasonFacts {
  readonly matchedFields: readonly string[];
  readonly confidence: number;
  readonly facets: readonly string[];
  readonly stability: Stability;
  readonly health: EntityHealth | undefined;
}

/** Why something is recommended, in words: how it matches, which wishes it meets, how it is kept. */
export function reasonsFor(facts: ReasonFacts, where: FacetFilter): readonly string[] {
  const isFound = facts.matchedFields.length > 0 || facts.confidence > 0;
  const reasons = isFound ? [matchWords(facts)] : [];
  if (facts.confidence < LOW_CONFIDENCE) reasons.push('low confidence: it may not be what you need');
  const met = FACETS.filter((facet) => isMet(facet, where, facts.facets));
  if (met.length > 0) reasons.push(`${met.map((facet) => `${facet} ${where[facet]}`).join(', ')} as asked`);
  if (facts.stability === 'stable') reasons.push('well maintained');
  if (facts.stability === 'emerging') reasons.push('growing fast');
  const { stars } = facts.health ?? {};
  if (stars !== undefined) reasons.push(`${stars} ${stars === 1 ? 'star' : 'stars'}`);
  return reasons;
}

function matchWords({ matchedFields, confidence }: ReasonFacts): string {
  const how = matchedFields.length === 0 ? 'close in meaning' : `matches your words in its ${listed(matchedFields)}`;
  return `${how} (confidence ${(confidence * 100).toFixed(confidence < 0.01 ? 1 : 0)}%)`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

function isMet(facet: Facet, where: FacetFilter, facets: readonly string[]): boolean {
  const value = where[facet];
  return value !== undefined && hasFacet(facets, facetKey(facet, value));
}
