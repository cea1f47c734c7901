import { ENTITY_TYPES, type EntityType, isEntityType, STATUSES, type Status } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { type Filter, foldTag } from '../model/filter.ts';
import { MAX_OFFSET, MAX_RESULTS, type SearchRequest } from '../model/query.ts';
import type { LegWeights } from './fusion/blend.ts';
import { type Anchor, anchorsIn } from './identifier/anchors.ts';
import type { Preset } from './preset.ts';
import { presetNamed, tagsOnly, withoutVectors } from './presets.ts';
import { splitHashtags } from './query-text.ts';
import { unknownFields } from './unknown-fields.ts';

/** Everything decided about a search before anything is fetched. Pure: the same request gives the same plan. */
export interface SearchPlan {
  readonly request: SearchRequest;
  /** The query as it came, trimmed. */
  readonly query: string;
  /** What the legs look for: the query without hashtags. */
  readonly text: string;
  readonly filter: Filter;
  /** What the query may name exactly; none where the preset does not ask. */
  readonly anchors: readonly Anchor[];
  /** Legs fetch enough for a page that ends with this result. */
  readonly end: number;
  /** The preset with the request's own numbers in place of its defaults. */
  readonly preset: Preset;
  /** Whether tools of servers are results of their own: when tools were asked for and servers were not. */
  readonly toolsAsResults: boolean;
  readonly warnings: readonly string[];
}

function withRequestNumbers(preset: Preset, request: SearchRequest): Preset {
  const { weights, rrf_k, soft_cap, floor } = request;
  return {
    ...preset,
    rrfK: rrf_k ?? preset.rrfK,
    softCap: soft_cap ?? preset.softCap,
    floor: floor ?? preset.floor,
    weights: weights === undefined || preset.vector === null ? preset.weights : mergedWeights(preset, weights),
    vector: weights?.vector === 0 ? null : preset.vector,
  };
}

/** Where neither the request nor a setting names one. */
export const DEFAULT_PRESET = 'hybrid';

/**
 * Pages of one search are cut from one list, and counts are of that list: legs fetch enough for the last page that can be
 * asked for, whichever is. Fewer candidates would have other scores, and a result could stand on two pages.
 */
const EVERY_PAGE = MAX_OFFSET + MAX_RESULTS;

function endOf({ offset, facets, max_results }: SearchRequest): number {
  return offset === undefined && facets === undefined ? max_results : EVERY_PAGE;
}

/** A leg that the request does not name keeps its weight. */
function mergedWeights({ weights }: Preset, asked: NonNullable<SearchRequest['weights']>): LegWeights {
  const own = typeof weights === 'string' ? { keyword: 1, vector: 1 } : weights;
  return { keyword: asked.keyword ?? own.keyword, vector: asked.vector ?? own.vector };
}

function statusesOf(request: SearchRequest): readonly Status[] {
  if (request.statuses !== undefined) return [...request.statuses];
  return STATUSES.filter(
    (status) =>
      (status !== 'draft' || request.include_draft) && (status !== 'deprecated' || request.include_deprecated),
  );
}

/** What a caller may see, besides what it asks for. */
export interface SearchScope {
  /** Reader keys (see `readerKeys`): only what any of them may read. Absent: access is not checked. */
  readonly readers?: readonly string[];
}

/** What a plan may take from the index. */
export interface PlanFacts extends SearchScope {
  /** Words behind a `#` that are nobody's tag: text, not a filter that nothing passes. Default: none. */
  readonly unknownTags?: ReadonlySet<string>;
}

/** The tags that the query itself names, for presets that may take them for text; the registry's own designs do not. */
export function doubtfulTags({ query, preset }: SearchRequest): readonly string[] {
  if (!query.includes('#') || presetNamed(preset ?? DEFAULT_PRESET).keyword.scorer === 'boost') return [];
  return splitHashtags(query).hashtags;
}

export function planSearch(request: SearchRequest, { readers, unknownTags = new Set() }: PlanFacts = {}): SearchPlan {
  const { text, hashtags } = splitHashtags(request.query, (tag) => !unknownTags.has(tag));
  const tags = [...new Set([...(request.tags ?? []).map(foldTag), ...hashtags])].filter((tag) => tag !== '');
  if (text === '' && tags.length === 0) {
    throw new DowserError('EMPTY_SEARCH', 'The search has neither a query nor tags.', {
      field: 'query',
      hint: 'Give a query, tags or both.',
    });
  }
  const preset = presetNamed(request.preset ?? DEFAULT_PRESET);
  const warnings = [...unknownFields(request)];
  for (const tag of unknownTags) warnings.push(`Nothing has the tag '${tag}': '#${tag}' was taken for text.`);
  let types: readonly EntityType[] | undefined;
  if (request.entity_types !== null) {
    types = request.entity_types.filter(isEntityType);
    for (const name of request.entity_types) {
      if (!isEntityType(name)) {
        warnings.push(`There is no entity type '${name}'; nothing is found for it. Types: ${ENTITY_TYPES.join(', ')}.`);
      }
    }
  }
  const toolsAsResults =
    types?.includes('tool') === true && !types.includes('mcp_server') && !types.includes('virtual_server');
  if (toolsAsResults && preset.keyword.scorer === 'boost' && text !== '') {
    warnings.push(`The preset '${preset.name}' ranks whole entities: tools of servers are not among its results.`);
  }
  const filter = frozen({
    ...(types === undefined ? {} : { types }),
    ...(request.include_draft && request.include_deprecated && request.statuses === undefined
      ? {}
      : { statuses: statusesOf(request) }),
    ...(request.include_disabled ? {} : { enabled: true }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(readers === undefined ? {} : { readers: [...readers] }),
  });
  return {
    request,
    query: request.query.trim(),
    text,
    filter,
    anchors: preset.anchors === 'none' ? [] : anchorsIn(text),
    end: endOf(request),
    preset: withRequestNumbers(text === '' ? { ...tagsOnly(toolsAsResults), name: preset.name } : preset, request),
    toolsAsResults,
    warnings,
  };
}

/** Nobody changes what a search is filtered by while it is under way. */
function frozen(filter: Filter): Filter {
  for (const list of Object.values(filter)) Object.freeze(list);
  return Object.freeze(filter);
}

/** The same search when its vector leg cannot be used. */
export function withoutVectorLeg(plan: SearchPlan): SearchPlan {
  return { ...plan, preset: withRequestNumbers(withoutVectors(plan.preset), plan.request) };
}
