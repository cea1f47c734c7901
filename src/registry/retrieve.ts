import type { Engine, EngineStats } from '../engines/engine.ts';
import type { EntityType } from '../model/entity.ts';
import type { Filter } from '../model/filter.ts';
import type { UnitId } from '../model/unit.ts';
import { resultKey } from '../search/candidate.ts';
import type { Retrieved } from '../search/fuse.ts';
import type { SearchPlan } from '../search/plan.ts';
import { compareHits, type RankedList } from '../search/ranked-list.ts';

/** A server with hundreds of matching tools can fill a list alone: then more is fetched, up to this many units. */
const MOST_UNITS = 10_000;
const WIDER = 8;

/** Asks both legs, side by side. Without a query vector there is no vector leg. */
export async function retrieve(
  engine: Engine,
  plan: SearchPlan,
  queryVector: Float32Array | null,
  stats: EngineStats,
): Promise<Retrieved> {
  const [keyword, vector] = await Promise.all([
    searchKeyword(engine, plan),
    queryVector === null ? null : searchVector(engine, plan, queryVector, stats),
  ]);
  return {
    keyword,
    vector,
    ...(await lookUpMissing(engine, plan, keyword, vector, queryVector)),
    vectorCoverage: stats.vectors / Math.max(1, stats.vectors + stats.missingVectors),
  };
}

function searchKeyword(engine: Engine, plan: SearchPlan): Promise<RankedList> {
  const { scorer, unitKinds, limit } = plan.preset.keyword;
  const filter = withKinds(plan.filter, unitKinds);
  const { text, request } = plan;
  const { explain, max_results } = request;
  return fetchEnough(plan, limit(max_results), (most) =>
    engine.searchKeyword({ text, scorer, filter, limit: most, explain }),
  );
}

async function searchVector(
  engine: Engine,
  plan: SearchPlan,
  vector: Float32Array,
  stats: EngineStats,
): Promise<RankedList> {
  const settings = plan.preset.vector!;
  const filter = withKinds(plan.filter, settings.unitKinds);
  const limit = settings.limit(plan.request.max_results);
  if (!settings.perType)
    return fetchEnough(plan, limit, (most) => engine.searchVector({ vector, filter, limit: most }));
  const types = plan.filter.types ?? (Object.keys(stats.byType) as EntityType[]);
  const lists = await Promise.all(
    types.map((type) => engine.searchVector({ vector, filter: { ...filter, types: [type] }, limit })),
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
      if (results.size >= plan.request.max_results) return list;
    }
  }
}

/** For a fusion by score: what each leg says of the entities that only the other one found. */
async function lookUpMissing(
  engine: Engine,
  plan: SearchPlan,
  keyword: RankedList,
  vector: RankedList | null,
  queryVector: Float32Array | null,
): Promise<Pick<Retrieved, 'keywordLookedUp' | 'vectorLookedUp'>> {
  if (plan.preset.fusion !== 'blend' || vector === null || queryVector === null) {
    return { keywordLookedUp: [], vectorLookedUp: [] };
  }
  const onlyVector = bestUnitsWithout(plan, vector, keyword);
  const onlyKeyword = bestUnitsWithout(plan, keyword, vector);
  const { scorer } = plan.preset.keyword;
  const { text, request } = plan;
  const [keywordLookedUp, vectorLookedUp] = await Promise.all([
    onlyVector.length === 0
      ? []
      : engine.searchKeyword({
          text,
          scorer,
          filter: { units: onlyVector },
          limit: onlyVector.length,
          explain: request.explain,
        }),
    onlyKeyword.length === 0
      ? []
      : engine.searchVector({ vector: queryVector, filter: { units: onlyKeyword }, limit: onlyKeyword.length }),
  ]);
  return { keywordLookedUp, vectorLookedUp };
}

/** The best unit of each result that one list has and the other has not. */
function bestUnitsWithout(plan: SearchPlan, list: RankedList, other: RankedList): readonly UnitId[] {
  const seen = new Set<string>();
  for (const hit of other) seen.add(resultKey(plan, hit));
  const units: UnitId[] = [];
  for (const hit of list) {
    const key = resultKey(plan, hit);
    if (seen.has(key)) continue;
    seen.add(key);
    units.push(hit.unit);
  }
  return units;
}

function withKinds(filter: Filter, unitKinds: Filter['unitKinds']): Filter {
  return unitKinds === undefined ? filter : { ...filter, unitKinds };
}
