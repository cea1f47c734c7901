import type { Engine, EngineStats, Inspection } from '../../engines/engine.ts';
import type { EntityId, EntityType } from '../../model/entity.ts';
import type { Explanation } from '../../model/explanation.ts';
import type { Filter } from '../../model/filter.ts';
import type { QueryReading } from '../../search/identifier/read-query.ts';
import type { SearchPlan } from '../../search/plan.ts';
import { cosineEvidence } from '../../search/ranking/calibrate/confidence.ts';
import { resultKey } from '../../search/ranking/candidate.ts';
import type { Retrieved } from '../../search/ranking/fuse.ts';
import type { Pair } from '../../search/ranking/fusion/fusion.ts';
import { type Asked, type Asks, asksOf, enterScores, joinLegs, toPairs } from '../../search/ranking/join.ts';
import { compareHits, type RankedList, scoresOf } from '../../search/ranking/ranked-list.ts';

/** A server with hundreds of matching tools can fill a list alone: then more is fetched, up to this many units. */
const MAX_UNITS = 10_000;
const WIDER = 8;

/** What is known before the legs are asked. */
export interface Known {
  readonly stats: EngineStats;
  readonly inspection: Inspection;
  readonly reading: QueryReading;
  readonly dead: ReadonlySet<EntityId>;
  readonly efSearch: number;
  /** The id of the embedder that made the query's vector: it is compared with no other's. */
  readonly embedder: string | undefined;
}

/** Asks both legs, side by side. Without a query vector there is no vector leg. */
export async function retrieve(
  engine: Engine,
  plan: SearchPlan,
  queryVector: Float32Array | null,
  known: Known,
): Promise<Retrieved> {
  const { stats, inspection, reading, dead } = known;
  // The vector leg first: an engine may have another thread at work on it while this one answers by keyword.
  const byVector = queryVector === null ? null : searchVector(engine, plan, queryVector, known);
  const [keyword, vector] = await Promise.all([searchKeyword(engine, plan), byVector]);
  return {
    keyword,
    vector,
    pairs: await pairUp(engine, plan, { keyword, vector }, queryVector, known),
    vectorCoverage: stats.vectors / Math.max(1, stats.vectors + stats.missingVectors),
    reading,
    evidence: {
      ceiling: inspection.ceiling,
      known: inspection.known,
      terms: inspection.terms,
      cosines:
        vector === null || queryVector === null
          ? null
          : cosineEvidence(scoresOf(vector), queryVector, stats.meanVector, stats.vectors),
    },
    dead,
  };
}

function searchKeyword(engine: Engine, plan: SearchPlan): Promise<RankedList> {
  const { scorer, unitKinds, limit } = plan.preset.keyword;
  const filter = withKinds(plan.filter, unitKinds);
  const { text, request } = plan;
  const { explain } = request;
  return fetchEnough(plan, limit(plan.end), (most) =>
    engine.searchKeyword({ text, scorer, filter, limit: most, explain }),
  );
}

async function searchVector(
  engine: Engine,
  plan: SearchPlan,
  vector: Float32Array,
  { stats, efSearch, embedder }: Known,
): Promise<RankedList> {
  const settings = plan.preset.vector!;
  const filter = withKinds(plan.filter, settings.unitKinds);
  const limit = settings.limit(plan.end);
  if (!settings.perType)
    return fetchEnough(plan, limit, (most) => engine.searchVector({ vector, filter, limit: most, efSearch, embedder }));
  const types = plan.filter.types ?? (Object.keys(stats.byType) as EntityType[]);
  const lists = await Promise.all(
    types.map((type) =>
      engine.searchVector({ vector, filter: { ...filter, types: [type] }, limit, efSearch, embedder }),
    ),
  );
  return lists.flat().sort(compareHits);
}

/** Fetches units until they make up a page of results, or there are no more. */
async function fetchEnough(
  plan: SearchPlan,
  first: number,
  fetch: (limit: number) => Promise<RankedList>,
): Promise<RankedList> {
  for (let limit = first; ; limit = Math.min(MAX_UNITS, limit * WIDER)) {
    const list = await fetch(limit);
    if (list.length < limit || limit >= MAX_UNITS) return list;
    const results = new Set<string>();
    for (const hit of list) {
      results.add(resultKey(plan, hit));
      if (results.size >= plan.end) return list;
    }
  }
}

const NOTHING: Asks = { asked: [], about: [] };
const NO_DETAILS: ReadonlyMap<string, Explanation> = new Map();

/**
 * Joins the lists. For a fusion by score, each leg is also asked what it says of what only the other one found, or only the
 * identifiers of the query name.
 */
async function pairUp(
  engine: Engine,
  plan: SearchPlan,
  { keyword, vector }: Pick<Retrieved, 'keyword' | 'vector'>,
  queryVector: Float32Array | null,
  { reading, embedder }: Known,
): Promise<readonly Pair[]> {
  const { fusion, anchors } = plan.preset;
  const drafts = joinLegs(plan, keyword, vector, anchors === 'tier' ? reading.anchors : []);
  if (fusion === 'blend' || fusion === 'boosted') {
    const byKeyword = asksOf(plan, drafts, 'keyword');
    const byVector = vector === null || queryVector === null ? NOTHING : asksOf(plan, drafts, 'vector');
    const { text, preset } = plan;
    const [keywordScores, vectorScores, details] = await Promise.all([
      byKeyword.asked.length === 0 ? [] : engine.keywordScores(text, preset.keyword.scorer, byKeyword.asked),
      byVector.asked.length === 0 ? [] : engine.vectorScores(queryVector!, byVector.asked, embedder),
      plan.request.explain ? detailsOf(engine, plan, byKeyword.asked) : NO_DETAILS,
    ]);
    enterScores('keyword', byKeyword, keywordScores, details);
    enterScores('vector', byVector, vectorScores, details);
  }
  return toPairs(plan, drafts);
}

/** The reasons for scores that were asked for, where a request wants to see reasons. */
async function detailsOf(
  engine: Engine,
  { text, preset }: SearchPlan,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, Explanation>> {
  const units = asked.filter(({ card }) => !card).map(({ hit }) => hit.unit);
  const { scorer } = preset.keyword;
  const hits = await engine.searchKeyword({ text, scorer, filter: { units }, limit: units.length, explain: true });
  return new Map(hits.flatMap(({ unit, detail }) => (detail === undefined ? [] : [[unit, detail]])));
}

function withKinds(filter: Filter, unitKinds: Filter['unitKinds']): Filter {
  return unitKinds === undefined ? filter : { ...filter, unitKinds };
}
