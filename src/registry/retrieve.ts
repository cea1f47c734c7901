import type { Engine, EngineStats, Inspection } from '../engines/engine.ts';
import type { EntityId, EntityType } from '../model/entity.ts';
import type { Filter } from '../model/filter.ts';
import { type UnitId, unitId } from '../model/unit.ts';
import { cosineEvidence } from '../search/calibrate/confidence.ts';
import { resultKey } from '../search/candidate.ts';
import type { Retrieved } from '../search/fuse.ts';
import type { QueryReading } from '../search/identifier/read-query.ts';
import type { SearchPlan } from '../search/plan.ts';
import { compareHits, type RankedList, type UnitHit } from '../search/ranked-list.ts';
import { analyzeQuery } from '../search/text/analyzer.ts';

/** A server with hundreds of matching tools can fill a list alone: then more is fetched, up to this many units. */
const MOST_UNITS = 10_000;
const WIDER = 8;

type Legs = Pick<Retrieved, 'keyword' | 'vector'>;

/** What is known before the legs are asked. */
export interface Known {
  readonly stats: EngineStats;
  readonly inspection: Inspection;
  readonly reading: QueryReading;
  readonly dead: ReadonlySet<EntityId>;
  readonly efSearch: number;
}

/** Asks both legs, side by side. Without a query vector there is no vector leg. */
export async function retrieve(
  engine: Engine,
  plan: SearchPlan,
  queryVector: Float32Array | null,
  known: Known,
): Promise<Retrieved> {
  const { stats, inspection, reading, dead } = known;
  const [keyword, vector] = await Promise.all([
    searchKeyword(engine, plan),
    queryVector === null ? null : searchVector(engine, plan, queryVector, known),
  ]);
  return {
    keyword,
    vector,
    ...(await lookUpMissing(engine, plan, { keyword, vector }, queryVector, reading)),
    vectorCoverage: stats.vectors / Math.max(1, stats.vectors + stats.missingVectors),
    reading,
    evidence: {
      ceiling: inspection.ceiling,
      known: inspection.known,
      terms: analyzeQuery(plan.text).length,
      cosines:
        vector === null || queryVector === null
          ? null
          : cosineEvidence(
              vector.map(({ score }) => score),
              queryVector,
              stats.meanVector,
            ),
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
  { stats, efSearch }: Known,
): Promise<RankedList> {
  const settings = plan.preset.vector!;
  const filter = withKinds(plan.filter, settings.unitKinds);
  const limit = settings.limit(plan.end);
  if (!settings.perType)
    return fetchEnough(plan, limit, (most) => engine.searchVector({ vector, filter, limit: most, efSearch }));
  const types = plan.filter.types ?? (Object.keys(stats.byType) as EntityType[]);
  const lists = await Promise.all(
    types.map((type) => engine.searchVector({ vector, filter: { ...filter, types: [type] }, limit, efSearch })),
  );
  return lists.flat().sort(compareHits);
}

/** Fetches units until they make up a page of results, or there are no more. */
async function fetchEnough(
  plan: SearchPlan,
  first: number,
  fetch: (limit: number) => Promise<RankedList>,
): Promise<RankedList> {
  for (let limit = first; ; limit = Math.min(MOST_UNITS, limit * WIDER)) {
    const list = await fetch(limit);
    if (list.length < limit || limit >= MOST_UNITS) return list;
    const results = new Set<string>();
    for (const hit of list) {
      results.add(resultKey(plan, hit));
      if (results.size >= plan.end) return list;
    }
  }
}

/** For a fusion by score: what each leg says of what only the other one found, or only the identifiers of the query name. */
async function lookUpMissing(
  engine: Engine,
  plan: SearchPlan,
  { keyword, vector }: Legs,
  queryVector: Float32Array | null,
  reading: QueryReading,
): Promise<Pick<Retrieved, 'keywordLookedUp' | 'vectorLookedUp'>> {
  const { fusion, anchors, keyword: settings } = plan.preset;
  const byScore = fusion === 'blend' || fusion === 'boosted';
  const holders = anchors === 'tier' ? reading.anchors.flatMap(({ units }) => units) : [];
  const { text, request } = plan;
  const noKeyword = byScore ? unitsWithout(plan, [...(vector ?? []), ...holders], keyword) : [];
  const noVector = byScore && vector !== null ? unitsWithout(plan, [...keyword, ...holders], vector) : [];
  const [keywordLookedUp, vectorLookedUp] = await Promise.all([
    noKeyword.length === 0
      ? []
      : engine.searchKeyword({
          text,
          scorer: settings.scorer,
          filter: { units: noKeyword },
          limit: noKeyword.length,
          explain: request.explain,
        }),
    noVector.length === 0 || queryVector === null
      ? []
      : engine.searchVector({ vector: queryVector, filter: { units: noVector }, limit: noVector.length }),
  ]);
  return { keywordLookedUp, vectorLookedUp };
}

/**
 * What a leg whose list is `own` has yet to say: of the best unit of each result that only the other list has, and of the
 * cards of results that it knows by a part, where cards count.
 */
function unitsWithout(plan: SearchPlan, other: RankedList, own: RankedList): readonly UnitId[] {
  const units = new Set<UnitId>();
  const seen = new Set<string>();
  const cards = new Set<EntityId>();
  const parts = new Set<EntityId>();
  const look = (hit: UnitHit, key: string) => {
    seen.add(key);
    if (hit.kind === 'card') cards.add(hit.entity);
    else if (key !== hit.unit) parts.add(hit.entity);
  };
  for (const hit of own) look(hit, resultKey(plan, hit));
  for (const hit of other) {
    const key = resultKey(plan, hit);
    if (seen.has(key)) continue;
    units.add(hit.unit);
    look(hit, key);
  }
  if (plan.preset.cardCounts) for (const entity of parts) if (!cards.has(entity)) units.add(unitId(entity, 'card'));
  return [...units];
}

function withKinds(filter: Filter, unitKinds: Filter['unitKinds']): Filter {
  return unitKinds === undefined ? filter : { ...filter, unitKinds };
}
