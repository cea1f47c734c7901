import {
  ENTITY_TYPES,
  type EntityId,
  type EntityType,
  isEntityType,
  STATUSES,
  type Status,
} from '../../model/entity.ts';
import { facetKeysOf } from '../../model/entity-parts/facets.ts';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { SERVER_TYPES } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { documentClauses } from '../../model/query/document-filter.ts';
import { type Filter, type FilterType, foldTag } from '../../model/query/filter.ts';
import { memoryClauses } from '../../model/query/memory-filter.ts';
import { LAST_RESULT, type SearchRequest } from '../../model/query/query.ts';
import { anchorsToLookUp } from '../identifier/classify-query.ts';
import { LEGACY_SIZE } from '../ranking/rerank/rerank-legacy.ts';
import { isBoost, type RetrieveQuery, type VectorLeg } from '../retrieval/retrieval.ts';
import { type Anchor, anchorsIn } from '../text/anchors.ts';
import { inMemoryWords } from '../text/memory-words.ts';
import { type NameLookup, withSpelledNames } from '../text/name-spelling.ts';
import type { Preset } from './preset.ts';
import { DEFAULT_PRESET, getPreset, maxQueryChars, tagsPreset, withoutVectors } from './presets.ts';
import { splitQuery } from './query-parts.ts';
import { splitHashtags } from './query-text.ts';
import { type QueryTexts, shareQueries } from './sub-queries.ts';
import { misspelled, unknownFields } from './unknown-fields.ts';

/** All decisions of a search that need no index. The same request always gives the same plan. */
export interface SearchPlan {
  readonly request: SearchRequest;
  /** The query of the request, trimmed. */
  readonly query: string;
  /** The text to search for: the query without hashtags. */
  readonly text: string;
  /** The parts of a long text, see `query-parts.ts`. Empty if the preset does not use parts. */
  readonly parts: readonly string[];
  /** The texts to embed if they are others than `text` and `parts`, see `sub-queries.ts`. */
  readonly meanings: readonly string[] | null;
  readonly filter: Filter;
  /** Hashtags of the query to look up: unknown ones become text. Empty if the preset uses every hashtag as a tag. */
  readonly hashtags: readonly string[];
  /** The anchors of the query. Empty if the preset does not use anchors. */
  readonly anchors: readonly Anchor[];
  /** The number of the last result that the legs must fetch. */
  readonly end: number;
  /** The preset with the overrides of the request. */
  readonly preset: Preset;
  /** Whether a tool of a server is a result itself: if the request asks for tools but not for servers. */
  readonly toolsAsResults: boolean;
  /** The same for a preset that scores whole entities: the results are the matching tools of the servers it finds. */
  readonly toolsOfServers: boolean;
  /** Whether a chunk of a document is a result itself. */
  readonly chunksAsResults: boolean;
  readonly warnings: readonly string[];
}

function withOverrides(preset: Preset, request: SearchRequest): Preset {
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
 * A paged search always fetches enough for the last possible page, and so does a search with facets. All pages and counts
 * then come from the same list.
 */
function endOf({ offset, facets, max_results }: SearchRequest, { graph }: Preset): number {
  if (offset !== undefined || facets !== undefined) return LAST_RESULT;
  return graph === 'legacy' ? Math.max(max_results, LEGACY_SIZE) : max_results;
}

/** If the request has no weight for a leg, the weight of the preset stays. */
function mergedWeights({ weights }: Preset, requested: NonNullable<SearchRequest['weights']>): Preset['weights'] {
  if (requested.keyword === undefined && requested.vector === undefined) return weights;
  const base = typeof weights === 'string' ? { keyword: 1, vector: 1 } : weights;
  return { keyword: requested.keyword ?? base.keyword, vector: requested.vector ?? base.vector };
}

/** The filters of a request besides types, tags and readers. */
type Lifecycle = Pick<
  SearchRequest,
  'include_draft' | 'include_deprecated' | 'include_disabled' | 'statuses' | 'memory' | 'document'
>;

function statusesOf({ statuses, include_draft, include_deprecated }: Lifecycle): readonly Status[] | undefined {
  if (statuses !== undefined) return [...statuses];
  if (include_draft && include_deprecated) return undefined;
  return STATUSES.filter(
    (status) => (status !== 'draft' || include_draft) && (status !== 'deprecated' || include_deprecated),
  );
}

/** Frozen, so that an index can cache its result by object identity. */
function filterOf(
  lifecycle: Lifecycle,
  types: readonly FilterType[] | undefined,
  tags: readonly string[],
  readers: readonly string[] | undefined,
  facets: readonly string[],
): Filter {
  const statuses = statusesOf(lifecycle);
  const filter: Filter = {
    ...(types === undefined ? {} : { types }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(lifecycle.include_disabled ? {} : { enabled: true }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(facets.length === 0 ? {} : { facets }),
    ...(readers === undefined ? {} : { readers: [...readers] }),
    ...(lifecycle.memory === undefined ? {} : memoryClauses(lifecycle.memory)),
    ...(lifecycle.document === undefined ? {} : documentClauses(lifecycle.document)),
  };
  for (const list of Object.values(filter)) Object.freeze(list);
  return Object.freeze(filter);
}

const DEFAULT_LIFECYCLE: Lifecycle = { include_draft: false, include_deprecated: false, include_disabled: false };

/** The types that the registry's documents search: what its presets search if the request names none. */
const REGISTRY_TYPES: readonly EntityType[] = ['mcp_server', 'a2a_agent', 'skill', 'virtual_server'];

/** The filters of most searches. Always the same objects, so that an index can cache their results. */
const DEFAULT_FILTER = filterOf(DEFAULT_LIFECYCLE, undefined, [], undefined, []);
const REGISTRY_FILTER = filterOf(DEFAULT_LIFECYCLE, REGISTRY_TYPES, [], undefined, []);
/** What a search finds unless drafts or deprecated entities are asked for. */
export const DEFAULT_STATUSES = statusesOf(DEFAULT_LIFECYCLE);

function isDefault(lifecycle: Lifecycle): boolean {
  const { include_draft, include_deprecated, include_disabled, statuses, memory, document } = lifecycle;
  const isPlain = statuses === undefined && memory === undefined && document === undefined;
  return isPlain && !include_draft && !include_deprecated && !include_disabled;
}

interface PlanOptions {
  /** Reader keys, see `readerKeys`: find only entities that one of them may read. Default: no access check. */
  readonly readers?: readonly string[] | undefined;
  /** Hashtags that no entity has. They are searched as text, because as a filter they would match nothing. Default: none. */
  readonly unknownTags?: ReadonlySet<string> | undefined;
  /** Find only these entities. Default: all. */
  readonly onlyEntities?: readonly EntityId[] | undefined;
  /** Leave out these entities. Default: none. */
  readonly withoutEntities?: readonly EntityId[] | undefined;
  /** Leave out these units. Default: none. */
  readonly withoutUnits?: readonly UnitId[] | undefined;
  /** The preset of a request that names none. */
  readonly defaultPreset?: string;
  /** The names that the caller may read. A preset that does not choose tools ignores them. Default: none. */
  readonly names?: NameLookup | undefined;
}

const NO_TAGS: ReadonlySet<string> = new Set();
const NO_FACETS: readonly string[] = [];

/** The distinct tags of the request and the hashtags of its query. */
function tagsOf({ tags }: SearchRequest, hashtags: readonly string[]): readonly string[] {
  const all = new Set(hashtags);
  for (const tag of tags ?? []) all.add(foldTag(tag));
  all.delete('');
  return [...all];
}

/** Identifiers are looked for at the start of a query: a task that is longer than this is not a name. */
const MAX_ANCHOR_CHARS = 512;

function emptySearch(request: object): DowserError {
  const mistake = misspelled(request, ['query', 'tags']);
  const hint = `Give a query, tags or both. '${LIST_ALL}' lists everything that passes the filters.`;
  const message = 'The search has neither a query nor tags.';
  if (mistake === undefined) return new DowserError('EMPTY_SEARCH', message, { field: 'query', hint });
  const { given, meant } = mistake;
  return new DowserError('EMPTY_SEARCH', message, {
    field: given,
    hint: `It has no field '${given}'. Did you mean '${meant}'?`,
    details: { did_you_mean: meant },
  });
}

function tooLong(query: string, preset: Preset): DowserError {
  const max = maxQueryChars(preset);
  return new DowserError(
    'INVALID_REQUEST',
    `'query' has ${query.length} characters; the preset '${preset.name}' takes at most ${max}.`,
    {
      field: 'query',
      hint: "Shorten the query, or use the preset 'hybrid'.",
      details: { max },
    },
  );
}

/** A query that lists everything that passes the filters, by type and path. */
const LIST_ALL = '*';

/** The same texts with the names in them as they are spelled. */
function spelled({ text, named, meanings }: QueryTexts, names: NameLookup): QueryTexts {
  const spell = (one: string) => withSpelledNames(one, names);
  return { text: spell(text), named: spell(named), meanings: meanings?.map(spell) ?? null };
}

export function planSearch(request: SearchRequest, options: PlanOptions = {}): SearchPlan {
  const {
    readers,
    unknownTags = NO_TAGS,
    onlyEntities,
    withoutEntities,
    withoutUnits,
    names,
    defaultPreset = DEFAULT_PRESET,
  } = options;
  const preset = getPreset(request.preset ?? defaultPreset);
  const usesRegistryRule = isBoost(preset.keyword.scorer);
  if (request.query.length > maxQueryChars(preset)) throw tooLong(request.query, preset);
  const listsAll = request.query.trim() === LIST_ALL;
  const { text: asked, hashtags } = splitHashtags(listsAll ? '' : request.query, (tag) => !unknownTags.has(tag));
  const shared = shareQueries(preset.choosesTools ? inMemoryWords(asked) : asked, request);
  if (shared.text.length > maxQueryChars(preset)) throw tooLong(shared.text, preset);
  const { text, named, meanings } = names === undefined || !preset.choosesTools ? shared : spelled(shared, names);
  const tags = tagsOf(request, hashtags);
  if (text === '' && tags.length === 0 && !listsAll && request.memory === undefined) {
    throw emptySearch(request);
  }
  const warnings = [...unknownFields(request)];
  for (const tag of unknownTags) warnings.push(`Nothing has the tag '${tag}': '#${tag}' was taken for text.`);
  let types: readonly EntityType[] | undefined;
  if (request.entity_types === null) types = usesRegistryRule ? REGISTRY_TYPES : undefined;
  else {
    types = request.entity_types.filter(isEntityType);
    for (const name of request.entity_types) {
      if (!isEntityType(name)) {
        warnings.push(`There is no entity type '${name}'; nothing is found for it. Types: ${ENTITY_TYPES.join(', ')}.`);
      }
    }
  }
  const wantsTools = types?.includes('tool') === true && !SERVER_TYPES.some((type) => types.includes(type));
  const toolsOfServers = wantsTools && usesRegistryRule && text !== '';
  const toolsAsResults = wantsTools && !toolsOfServers;
  const facets = request.where === undefined ? NO_FACETS : facetKeysOf(request.where);
  const hasFilter = request.entity_types !== null || tags.length > 0 || facets.length > 0 || readers !== undefined;
  const isCustom = hasFilter || !isDefault(request);
  const filterTypes = wantsTools ? ([...(types ?? []), toolsOfServers ? 'mcp_server' : 'server_tool'] as const) : types;
  const plainFilter = usesRegistryRule ? REGISTRY_FILTER : DEFAULT_FILTER;
  const filter = isCustom ? filterOf(request, filterTypes, tags, readers, facets) : plainFilter;
  return {
    request,
    query: request.query.trim(),
    text,
    parts: preset.parts ? splitQuery(text) : [],
    filter: withEntities(filter, onlyEntities, withoutEntities, withoutUnits),
    // The registry's presets use every hashtag as a tag, known or not.
    hashtags: usesRegistryRule ? [] : hashtags,
    meanings,
    anchors: preset.anchors === 'none' ? [] : anchorsIn(named.slice(0, MAX_ANCHOR_CHARS)),
    end: endOf(request, preset),
    preset: withOverrides(text === '' ? { ...tagsPreset(toolsAsResults), name: preset.name } : preset, request),
    toolsAsResults,
    toolsOfServers,
    chunksAsResults: request.document?.chunks === true,
    warnings,
  };
}

/** The same plan without its vector leg. */
export function withoutVectorLeg(plan: SearchPlan): SearchPlan {
  return { ...plan, preset: withOverrides(withoutVectors(plan.preset), plan.request) };
}

/**
 * Whether the fusion method needs the score of a leg for units that only the other leg found. If the preset has a `depth`, the
 * confidence needs them: a deeper search would know more of the same results.
 */
const READS_CROSS_SCORES: Readonly<Record<Preset['fusion'], boolean>> = {
  blend: true,
  rrf: false,
  linear: false,
  boosted: true,
  share: false,
};

/** The query for the index. Without a vector there is no vector leg. */
export function retrieveQuery(plan: SearchPlan, vector: QueryVector | null): RetrieveQuery {
  const { preset, text, parts, filter, hashtags, anchors, end, toolsAsResults, chunksAsResults } = plan;
  const { keyword, vector: vectorLeg, fusion, cardCounts } = preset;
  return {
    text,
    parts,
    filter,
    hashtags,
    anchors: anchorsToLookUp(anchors),
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
    crossScores: READS_CROSS_SCORES[fusion] || preset.depth !== null,
    cards: cardCounts,
    results: end,
    toolsAsResults,
    chunksAsResults,
  };
}

/** The embedding of the query. */
export type QueryVector = Pick<VectorLeg, 'values' | 'parts' | 'embedder' | 'efSearch'>;

function withEntities(
  filter: Filter,
  entities: readonly EntityId[] | undefined,
  without: readonly EntityId[] | undefined,
  withoutUnits: readonly UnitId[] | undefined,
): Filter {
  const only = entities === undefined ? filter : { ...filter, entities };
  const others = without === undefined ? only : { ...only, without };
  return withoutUnits === undefined ? others : { ...others, withoutUnits };
}
