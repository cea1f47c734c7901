import type { Store } from '../../engines/store.ts';
import type { SearchResult } from '../../model/answer/result.ts';
import { type Entity, type EntityId, entityId, splitEntityId } from '../../model/entity.ts';
import { EDGE_TYPES, type Edge, MUTUAL_TYPES, otherEnd } from '../../model/entity-parts/edge.ts';
import { stabilityOf } from '../../model/entity-parts/entity-health.ts';
import { FACETS, type FacetFilter, facetsOf } from '../../model/entity-parts/facets.ts';
import { isJsonObject, stated } from '../../model/json/json-object.ts';
import type { FacetCountsOf, ValueCount } from '../../recommend/clarification.ts';
import { relationWords } from '../../recommend/edge-words.ts';
import { reasonsFor } from '../../recommend/reasons.ts';
import type { Option } from '../contract/recommend-schemas.ts';
import type { GraphView } from '../graph/graph-view.ts';
import { type ResolvedNode, resolveNodes } from '../graph/resolve-nodes.ts';

export interface OptionParts {
  readonly store: Store;
  readonly graph: Pick<GraphView, 'around'>;
  readonly readers: readonly string[] | undefined;
}

export type FoundOption = Pick<
  SearchResult,
  'entity_type' | 'path' | 'name' | 'description' | 'relevance_score' | 'confidence' | 'matched_fields'
>;

const MAX_EVIDENCE = 3;
const MAX_ADDRESS_CHARS = 2048;
/** Read more: a relation that both ends state is one piece of evidence. */
const EDGES_READ = 4 * MAX_EVIDENCE;

/** Results as options with their reasons, and how their facets split them. */
export async function optionsOf(
  parts: OptionParts,
  found: readonly FoundOption[],
  where: FacetFilter,
): Promise<{ readonly options: readonly Option[]; readonly counts: FacetCountsOf; readonly warning: string | null }> {
  const nodes = found.map(({ entity_type, path }) => entityId(entity_type, path));
  const { around, warning } = await parts.graph.around(nodes, { types: EDGE_TYPES, limit: EDGES_READ }, parts);
  const strongest = new Map(nodes.map((node) => [node, strongestEdges(around.get(node)?.edges ?? [], node)]));
  const ends = [...strongest].flatMap(([node, edges]) => edges.map((edge) => otherEnd(edge, node)));
  const known = await resolveNodes(parts.store, [...nodes, ...ends]);
  const nameOf = (id: EntityId) => nameIn(known, id);
  const options = found.flatMap((one, at): Option[] => {
    const node = nodes[at]!;
    const entity = known.get(node)?.entity;
    if (entity === undefined) return [];
    const evidence = (strongest.get(node) ?? []).map((edge) => relationWords(edge, node, nameOf));
    return [optionOf(one, entity, where, evidence)];
  });
  return { options, counts: countsOf(options), warning };
}

/** The first edges that say different things. */
function strongestEdges(edges: readonly Edge[], node: EntityId): readonly Edge[] {
  const different = new Map<string, Edge>();
  for (const edge of edges) {
    const direction = MUTUAL_TYPES.includes(edge.type) ? '' : edge.source;
    const key = `${edge.type} ${otherEnd(edge, node)} ${direction}`;
    if (!different.has(key)) different.set(key, edge);
  }
  return [...different.values()].slice(0, MAX_EVIDENCE);
}

/** The path of what has no name, such as a memory. */
function nameIn(known: ReadonlyMap<EntityId, ResolvedNode>, id: EntityId): string {
  const { entity, tool } = known.get(id) ?? {};
  const name = tool?.name ?? entity?.name ?? '';
  return name.trim() === '' ? splitEntityId(id).path : name;
}

function optionOf(found: FoundOption, entity: Entity, where: FacetFilter, evidence: string[]): Option {
  const { entity_type, path, name, description, relevance_score, confidence, matched_fields } = found;
  const { health, status } = entity;
  const facets = facetsOf(entity);
  const stability = stabilityOf(health);
  return {
    entity_type,
    path,
    name,
    description,
    fit_score: relevance_score,
    confidence,
    stability,
    status,
    facets: byFacet(facets),
    ...stated({ health, repository: webAddress(entity.repository), homepage: webAddress(entity.homepage) }),
    ...documentationOf(entity),
    ...('status_message' in entity ? stated({ status_message: entity.status_message }) : {}),
    reasons: [...reasonsFor({ matchedFields: matched_fields, confidence, facets, stability, health }, where)],
    evidence,
  };
}

/** Its own addresses only: a link that runs a script is none. */
const webAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= MAX_ADDRESS_CHARS && /^https?:\/\//i.test(text) && URL.canParse(text)
    ? text
    : undefined;

/** The names that `metadata.docs` may have for each page. ToolPilot has both kinds. */
const DOCUMENTATION = {
  readme: ['readme', 'readme_url'],
  official: ['official', 'docs', 'docs_url'],
  api: ['api', 'api_url'],
  changelog: ['changelog', 'changelog_url'],
} as const;

function documentationOf({ metadata: { docs } }: Entity): Pick<Option, 'documentation'> {
  if (!isJsonObject(docs)) return {};
  const pages = Object.entries(DOCUMENTATION).flatMap(([page, names]) => {
    const address = names.map((name) => webAddress(docs[name])).find((one) => one !== undefined);
    return address === undefined ? [] : [[page, address] as const];
  });
  return pages.length === 0 ? {} : { documentation: Object.fromEntries(pages) };
}

export function byFacet(keys: readonly string[]): Record<string, string[]> {
  const facets: Record<string, string[]> = {};
  for (const key of keys) {
    const at = key.indexOf('=');
    facets[key.slice(0, at)] = [...(facets[key.slice(0, at)] ?? []), key.slice(at + 1)];
  }
  return facets;
}

/** The first value of each option counts, `unknown` where it has none, as in ToolPilot. */
function countsOf(options: readonly Option[]): FacetCountsOf {
  return Object.fromEntries(
    FACETS.map((facet) => {
      const counts = new Map<string, number>();
      for (const { facets } of options) {
        const value = facets[facet]?.[0] ?? 'unknown';
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      const values = Array.from(counts, ([value, count]): ValueCount => ({ value, count }))
        .filter(({ value }) => value !== 'unknown')
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      return [facet, values];
    }),
  );
}
