import { ENTITY_TYPES, type EntityId, type EntityType, isEntityType, STATUSES, type Status } from '../model/entity.ts';
import { SERVER_TYPES } from '../model/entity-types/table.ts';
import { DowserError } from '../model/errors.ts';
import { type Filter, foldTag } from '../model/filter.ts';
import { MAX_OFFSET, MAX_RESULTS, type SearchRequest } from '../model/query.ts';
import { type Anchor, anchorsIn } from './identifier/anchors.ts';
import { telling } from './identifier/read-query.ts';
import type { Preset } from './preset.ts';
import { DEFAULT_PRESET, presetNamed, tagsOnly, withoutVectors } from './presets.ts';
import { partsOf } from './query-parts.ts';
import { splitHashtags } from './query-text.ts';
import type { RetrieveQuery, VectorLeg } from './retrieval/retrieval.ts';
import { unknownFields } from './unknown-fields.ts';

/** Everything decided about a search before anything is fetched. Pure: the same request gives the same plan. */
export interface SearchPlan {
  readonly request: SearchRequest;
  /** The query as it came, trimmed. */
  readonly query: string;
  /** What the legs look for: the query without hashtags. */
  readonly text: string;
  /** The needs that the text names, if several; none where the preset takes the text as a whole. */
  readonly parts: readonly string[];
  readonly filter: Filter;
  /** Tags that the query itself names, where words that are no tag may be text. */
  readonly hashtags: readonly string[];
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
  if (weights === undefined && rrf_k === undefined && soft_cap === undefined && floor === undefined) return preset;
  return {
    ...preset,
    rrfK: rrf_k ?? preset.rrfK,
    softCap: soft_cap ?? preset.softCap,
    floor: floor ?? preset.floor,
    weights: weights === undefined || preset.vector === null ? preset.weights : mergedWeights(preset, weights),
    vector: weights?.vector === 0 ? null : preset.vector,
  };
}

/**
 * Pages of one search are cut from one list, and counts are of that list: legs fetch enough for the last page that can be
 * asked for, whichever is. Fewer candidates would have other scores, and a result could stand on two pages.
 */
const EVERY_PAGE = MAX_OFFSET + MAX_RESULTS;

function endOf({ offset, facets, max_results }: SearchRequest): number {
  return offset === undefined && facets === undefined ? max_results : EVERY_PAGE;
}

/** A leg that the request does not name keeps its weight. */
function mergedWeights({ weights }: Preset, asked: NonNullable<SearchRequest['weights']>): Preset['weights'] {
  if (asked.keyword === undefined && asked.vector === undefined) return weights;
  const own = typeof weights === 'string' ? { keyword: 1, vector: 1 } : weights;
  return { keyword: asked.keyword ?? own.keyword, vector: asked.vector ?? own.vector };
}

/** What a request says of what may be found, besides types, tags and readers. */
type Lifecycle = Pick<SearchRequest, 'include_draft' | 'include_deprecated' | 'include_disabled' | 'statuses'>;

function statusesOf({ statuses, include_draft, include_deprecated }: Lifecycle): readonly Status[] | undefined {
  if (statuses !== undefined) return [...statuses];
  if (include_draft && include_deprecated) return undefined;
  return STATUSES.filter(
    (status) => (status !== 'draft' || include_draft) && (status !== 'deprecated' || include_deprecated),
  );
}

/** Nobody changes what a search is filtered by while it is under way. */
function filterOf(
  lifecycle: Lifecycle,
  types: readonly EntityType[] | undefined,
  tags: readonly string[],
  readers: readonly string[] | undefined,
): Filter {
  const statuses = statusesOf(lifecycle);
  const filter: Filter = {
    ...(types === undefined ? {} : { types }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(lifecycle.include_disabled ? {} : { enabled: true }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(readers === undefined ? {} : { readers: [...readers] }),
  };
  for (const list of Object.values(filter)) Object.freeze(list);
  return Object.freeze(filter);
}

/** The one of most searches. Always the same, so that an engine knows it again. */
const USUAL: Lifecycle = { include_draft: false, include_deprecated: false, include_disabled: false };
const USUAL_FILTER = filterOf(USUAL, undefined, [], undefined);

function isUsual({ include_draft, include_deprecated, include_disabled, statuses }: Lifecycle): boolean {
  return !include_draft && !include_deprecated && !include_disabled && statuses === undefined;
}

/** What a caller may see, besides what it asks for. */
export interface SearchScope {
  /** Reader keys (see `readerKeys`): only what any of them may read. Absent: access is not checked. */
  readonly readers?: readonly string[] | undefined;
}

/** What a plan may take from the index. */
export interface PlanFacts extends SearchScope {
  /** Words behind a `#` that are nobody's tag: text, not a filter that nothing passes. Default: none. */
  readonly unknownTags?: ReadonlySet<string> | undefined;
  /** Only these entities may be found. */
  readonly onlyEntities?: readonly EntityId[] | undefined;
  /** The ranking of a request that names none. */
  readonly defaultPreset?: string;
}

const NO_TAGS: ReadonlySet<string> = new Set();

/** Those that the request names and those in its query, each once. */
function tagsOf({ tags }: SearchRequest, hashtags: readonly string[]): readonly string[] {
  const all = new Set(hashtags);
  for (const tag of tags ?? []) all.add(foldTag(tag));
  all.delete('');
  return [...all];
}

export function planSearch(request: SearchRequest, facts: PlanFacts = {}): SearchPlan {
  const { readers, unknownTags = NO_TAGS, onlyEntities, defaultPreset = DEFAULT_PRESET } = facts;
  const preset = presetNamed(request.preset ?? defaultPreset);
  const { text, hashtags } = splitHashtags(request.query, (tag) => !unknownTags.has(tag));
  const tags = tagsOf(request, hashtags);
  if (text === '' && tags.length === 0) {
    throw new DowserError('EMPTY_SEARCH', 'The search has neither a query nor tags.', {
      field: 'query',
      hint: 'Give a query, tags or both.',
    });
  }
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
  const toolsAsResults = types?.includes('tool') === true && !SERVER_TYPES.some((type) => types.includes(type));
  if (toolsAsResults && preset.keyword.scorer === 'boost' && text !== '') {
    warnings.push(`The preset '${preset.name}' ranks whole entities: tools of servers are not among its results.`);
  }
  const hasWishes = types !== undefined || tags.length > 0 || readers !== undefined || !isUsual(request);
  const filter = hasWishes ? filterOf(request, types, tags, readers) : USUAL_FILTER;
  return {
    request,
    query: request.query.trim(),
    text,
    parts: preset.parts ? partsOf(text) : [],
    filter: onlyEntities === undefined ? filter : { ...filter, entities: onlyEntities },
    // The registry's own designs take every hashtag for a tag.
    hashtags: preset.keyword.scorer === 'boost' ? [] : hashtags,
    anchors: preset.anchors === 'none' ? [] : anchorsIn(text),
    end: endOf(request),
    preset: withRequestNumbers(text === '' ? { ...tagsOnly(toolsAsResults), name: preset.name } : preset, request),
    toolsAsResults,
    warnings,
  };
}

/** The same search when its vector leg cannot be used. */
export function withoutVectorLeg(plan: SearchPlan): SearchPlan {
  return { ...plan, preset: withRequestNumbers(withoutVectors(plan.preset), plan.request) };
}

/** Whether a fusion method needs the score of one leg for hits of the other. */
const READS_CROSS_SCORES: Readonly<Record<Preset['fusion'], boolean>> = {
  blend: true,
  rrf: false,
  linear: false,
  boosted: true,
  share: false,
};

/** What the index is asked. Without a vector there is no vector leg. */
export function retrieveQuery(plan: SearchPlan, vector: QueryVector | null): RetrieveQuery {
  const { preset, text, parts, filter, hashtags, anchors, end, toolsAsResults } = plan;
  const { keyword, vector: vectorLeg, fusion, cardCounts } = preset;
  return {
    text,
    parts,
    filter,
    hashtags,
    anchors: telling(anchors),
    keyword: { scorer: keyword.scorer, unitKinds: keyword.unitKinds, limit: keyword.limit(end) },
    vector:
      vectorLeg === null || vector === null
        ? null
        : {
            values: vector.values,
            parts: vector.parts,
            embedder: vector.embedder,
            unitKinds: vectorLeg.unitKinds,
            limit: vectorLeg.limit(end),
            perType: vectorLeg.perType,
            efSearch: vector.efSearch,
          },
    crossScores: READS_CROSS_SCORES[fusion],
    cards: cardCounts,
    results: end,
    toolsAsResults,
  };
}

/** The query as a model sees it. */
export type QueryVector = Pick<VectorLeg, 'values' | 'parts' | 'embedder' | 'efSearch'>;
