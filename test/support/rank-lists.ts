import { leaf } from '../../src/model/answer/explanation.ts';
import { type EntityType, entityId } from '../../src/model/entity.ts';
import { type UnitKind, unitId } from '../../src/model/entity-parts/unit.ts';
import { type SearchRequestInput, searchRequestSchema } from '../../src/model/query/query.ts';
import { CONCEPTUAL, type QueryClassification } from '../../src/search/identifier/classify-query.ts';
import { planSearch } from '../../src/search/plan/plan.ts';
import type { Preset } from '../../src/search/plan/preset.ts';
import type { GraphLinks } from '../../src/search/ranking/candidates/graph-links.ts';
import { type RankedPage, rank } from '../../src/search/ranking/rank.ts';
import type { FoundUnit, Retrieved } from '../../src/search/retrieval/retrieval.ts';
import { actionsOfName } from '../../src/search/text/action-words.ts';

/** A unit as a leg may find it. `path` is that of its entity; `key` is its own, by default the card's. */
export interface ListedUnit {
  readonly path: string;
  readonly type?: EntityType;
  readonly key?: string;
  readonly title?: string;
  readonly keyword?: number | null;
  readonly vector?: number | null;
}

const groups = new Map<string, number>();

function groupOf(entity: string): number {
  const group = groups.get(entity) ?? groups.size;
  groups.set(entity, group);
  return group;
}

export function foundUnit(listed: ListedUnit): FoundUnit {
  const { path, type = 'mcp_server', key = 'card', title, keyword, vector } = listed;
  const entity = entityId(type, path);
  const kind: UnitKind = key.startsWith('tool:') ? 'tool' : 'card';
  const score = keyword ?? null;
  const shown = title ?? (kind === 'tool' ? key.slice('tool:'.length) : path.slice(1));
  return {
    at: -1,
    unit: unitId(entity, key),
    entity,
    group: groupOf(entity),
    type,
    kind,
    title: shown,
    actions: kind === 'tool' ? actionsOfName(shown) : 0,
    facts: {
      id: entity,
      type,
      status: 'active',
      enabled: true,
      visibility: 'public',
      memory: null,
      tags: [],
      readers: [],
      facets: [],
    },
    keyword: score,
    vector: vector ?? null,
    similarity: () => vector ?? null,
    matchedFields: () => [],
    adjacentWords: () => 0,
    explainKeyword: () => (score === null ? undefined : leaf('bm25f', score)),
  };
}

/** Ids of two lists, best first, as units: one id in both lists is one unit. */
export function twoLists(vector: readonly string[], keyword: readonly string[]): Lists {
  const units = new Map<string, FoundUnit>();
  const scored = (ids: readonly string[], path: string) => (ids.includes(path) ? 1 - ids.indexOf(path) / 1000 : null);
  for (const path of [...vector, ...keyword]) {
    const unit = foundUnit({ path: `/${path}`, keyword: scored(keyword, path), vector: scored(vector, path) });
    if (!units.has(path)) units.set(path, unit);
  }
  const listed = (ids: readonly string[]) => [...new Set(ids)].map((path) => units.get(path)!);
  return { vector: listed(vector), keyword: listed(keyword) };
}

export interface Lists {
  readonly vector: readonly FoundUnit[] | null;
  readonly keyword: readonly FoundUnit[];
  /** Units that no leg lists: cards, holders of identifiers. */
  readonly others?: readonly FoundUnit[];
}

export interface RankOptions {
  readonly request?: Partial<SearchRequestInput>;
  /** Changes of the preset that the request names. */
  readonly preset?: Partial<Preset>;
  readonly evidence?: Partial<Retrieved['evidence']>;
  readonly classification?: QueryClassification;
  /** Paths of servers that did not answer. */
  readonly dead?: readonly string[];
  /** Edges between the results. */
  readonly links?: GraphLinks;
}

/** What an index answers with these lists. */
export function retrievedOf(
  { vector, keyword, others = [] }: Lists,
  evidence: Partial<Retrieved['evidence']> = {},
): Retrieved {
  const units = [...new Set([...(vector ?? []), ...keyword, ...others])];
  units.forEach((found, at) => {
    Object.assign(found, { at });
  });
  return {
    units,
    keyword,
    vector,
    evidence: {
      unknownTags: [],
      ceiling: 40,
      terms: 3,
      holders: [],
      entities: 100,
      units: 100,
      vectors: vector === null ? 0 : 100,
      missingVectors: 0,
      meanVector: null,
      meanCount: 0,
      ...evidence,
    },
    toolsOf: (of) =>
      of.map(({ entity }) => {
        const tools = units.filter((found) => found.entity === entity && found.kind === 'tool');
        return { name: entity.slice(entity.indexOf('/') + 1), tools, cosines: () => tools.map(({ vector }) => vector) };
      }),
  };
}

/** Ranks what retrieval is taken to have found, by the code that every search runs. */
export function rankLists(lists: Lists, options: RankOptions = {}): RankedPage {
  const request = searchRequestSchema.parse({ query: 'anything', max_results: 50, ...options.request });
  const plan = planSearch(request);
  const retrieved = retrievedOf(lists, options.evidence);
  const { vector, evidence } = retrieved;
  const cosines = vector === null ? null : { best: vector[0]?.vector ?? 0, floor: 0 };
  const bestKeyword = retrieved.keyword[0]?.keyword ?? 0;
  return rank(
    { ...plan, preset: { ...plan.preset, ...options.preset } },
    {
      retrieved,
      classification: options.classification ?? CONCEPTUAL,
      evidence: { ...evidence, bestKeyword, adjacent: 0, cosines },
      dead: new Set((options.dead ?? []).map((path) => entityId('mcp_server', path))),
      links: options.links ?? null,
    },
  );
}
