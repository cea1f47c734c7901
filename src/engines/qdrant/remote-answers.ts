import type { UnitId } from '../../model/entity-parts/unit.ts';
import type { Bitset } from '../../search/filter/bitset.ts';
import { BestRows } from '../../search/rows/best-rows.ts';
import type { RowScores } from '../../search/rows/row-scores.ts';
import type { SearchedVectors, SpaceRows, SpaceSearchOptions } from '../embedded/index/vector-space.ts';
import { fromStoredText } from '../stored-text.ts';
import type { PointHit, PointSearch } from './collection.ts';
import type { LocalVectors } from './local-vectors.ts';
import type { PendingPoints } from './pending-points.ts';
import { pointId } from './point.ts';
import { serverFilter, toConditions } from './qdrant-filter.ts';

/** Rows that the server may not have yet and that are compared here. Of more, the others are found by keyword only. */
export const MAX_RECENT = 2_000;
/** Up to this many rows, a filter that the server does not know is given as a list of points. */
const MAX_LISTED = 1_000;
/** Of one search. */
const MAX_HITS = 10_000;
const DEEPER = 4;
/** How many times as many of the nearest units are asked for as should pass the filter. */
const NEARBY = 2;
const MAX_NEARBY = 1_000;
/** Hits beyond the limit: the server cuts a list anywhere among equal scores. */
const SPARE = 10;
/** Scores of the server have 32 bits. */
const ROUNDING = 1e-6;
/** Requests of one search, one after the other. */
const MAX_ROUNDS = 6;
const NOTHING: RowScores = { rows: [], scores: [] };

interface Answer {
  readonly hits: readonly PointHit[];
  readonly limit: number;
  /** The nearest units, whether they pass the filter or not. */
  readonly nearby: readonly PointHit[];
}

interface Need {
  readonly search: PointSearch;
  /**
   * The same without the filter. HNSW goes from unit to unit among those that pass: where the way leads over others, it ends
   * early. Without the filter it does not, and finds near units that pass.
   */
  readonly nearby: PointSearch | null;
}

/** The answers of one search, and what else must be asked. */
interface Session {
  readonly numbers: Map<Float32Array, number>;
  readonly answers: Map<string, Answer>;
  readonly needs: Map<string, Need>;
}

export interface AnswerParts {
  readonly rows: SpaceRows;
  /** Rows with a vector. */
  readonly present: Bitset;
  readonly pending: PendingPoints;
  readonly local: LocalVectors;
  readonly maxExact: number;
  readonly ask: (searches: readonly PointSearch[]) => Promise<readonly (readonly PointHit[])[]>;
}

/**
 * Searches rows with the help of a server. The server says which units may be near. Whether they pass the filter, and how near
 * they are, is decided here: what the server has late never shows.
 */
export class RemoteAnswers implements SearchedVectors {
  readonly #parts: AnswerParts;
  readonly #best = new BestRows();
  #session: Session | null = null;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** See `RemoteSearch.answer`. */
  async answer<T>(leg: () => unknown, whole: () => T): Promise<T> {
    const session: Session = { numbers: new Map(), answers: new Map(), needs: new Map() };
    this.#during(session, leg);
    for (let round = 1; ; round++) {
      if (session.needs.size > 0) await this.#ask(session);
      const result = this.#during(session, whole);
      if (session.needs.size === 0 || round >= MAX_ROUNDS) return result;
    }
  }

  search(query: Float32Array, options: SpaceSearchOptions): RowScores {
    const { present, pending, local, rows } = this.#parts;
    const { eligible, limit, compareRows } = options;
    const normalized = local.normalize(query);
    const count = eligible.countWith(present);
    if (normalized === null || count === 0 || limit < 1) return NOTHING;
    const found = new Set<number>();
    for (const row of pending.count === 0 ? [] : pending.rows.clone().intersect(eligible)) {
      if (found.size >= MAX_RECENT) break;
      found.add(row);
    }
    const isAsked = found.size < count;
    const key = isAsked ? this.#keyOf(query, options) : '';
    const answer = isAsked ? this.#session?.answers.get(key) : undefined;
    for (const hits of [answer?.hits ?? [], answer?.nearby ?? []]) {
      for (const { unit } of hits) {
        const row = rows.table.unit(fromStoredText(unit) as UnitId)?.row;
        if (row !== undefined && present.has(row) && eligible.has(row)) found.add(row);
      }
    }
    this.#best.start(limit, compareRows);
    for (const row of found) {
      const cosine = local.cosine(normalized, row);
      if (cosine !== null) this.#best.add(row, cosine);
    }
    const best = this.#best.take();
    if (isAsked && !isEnough(answer, best, Math.min(limit, count))) {
      const depth = answer === undefined ? null : answer.limit * DEEPER;
      this.#session?.needs.set(key, this.#toNeed(query, options, count, depth));
    }
    return best;
  }

  scoreRows(query: Float32Array, rows: readonly number[]): (number | null)[] {
    const { present, local } = this.#parts;
    const normalized = local.normalize(query);
    return rows.map((row) => (normalized === null || !present.has(row) ? null : local.cosine(normalized, row)));
  }

  /** `depth`: how many hits to ask for; null: as many as the filter needs. */
  #toNeed(vector: Float32Array, options: SpaceSearchOptions, count: number, depth: number | null): Need {
    const { eligible, filter, limit } = options;
    const { known, isWhole } = serverFilter(filter);
    if (!isWhole && count <= MAX_LISTED) {
      const conditions = [{ has_id: this.#points(eligible) }];
      return { search: { vector, conditions, limit: count, isExact: true }, nearby: null };
    }
    const { rows, present, maxExact } = this.#parts;
    const all = present.count();
    const passing = isWhole ? count : rows.eligible(known).countWith(present);
    // A filter that everything passes would only cost time.
    const conditions = passing === all ? [] : toConditions(known);
    const needed = SPARE + (isWhole ? limit : Math.ceil((limit * passing) / count) + limit);
    const isExact = passing <= maxExact;
    const search = { vector, conditions, limit: Math.min(MAX_HITS, depth ?? needed), isExact };
    if (isExact || conditions.length === 0 || depth !== null) return { search, nearby: null };
    const most = Math.min(MAX_NEARBY, Math.ceil((NEARBY * needed * all) / passing));
    return { search, nearby: { vector, conditions: [], limit: most, isExact } };
  }

  #points(eligible: Bitset): readonly string[] {
    const { rows, present } = this.#parts;
    const ids: string[] = [];
    for (const row of eligible) if (present.has(row)) ids.push(pointId(rows.table.unitAt(row)!.id));
    return ids;
  }

  #keyOf(query: Float32Array, { filter, limit }: SpaceSearchOptions): string {
    const numbers = this.#session?.numbers;
    const number = numbers?.get(query) ?? numbers?.size ?? 0;
    numbers?.set(query, number);
    return `${number} ${limit} ${JSON.stringify(filter)}`;
  }

  #during<T>(session: Session, run: () => T): T {
    session.needs.clear();
    this.#session = session;
    try {
      return run();
    } finally {
      this.#session = null;
    }
  }

  async #ask({ needs, answers }: Session): Promise<void> {
    const asked = [...needs];
    const found = await this.#parts.ask(
      asked.flatMap(([, { search, nearby }]) => (nearby === null ? [search] : [search, nearby])),
    );
    let n = 0;
    for (const [key, need] of asked) {
      const hits = found[n++] ?? [];
      const nearby = (need.nearby === null ? answers.get(key)?.nearby : found[n++]) ?? [];
      answers.set(key, { hits, limit: need.search.limit, nearby });
    }
  }
}

/** Whether no other unit can be among the best: not if too many hits were dropped, or if the last ones are equal. */
function isEnough(answer: Answer | undefined, { rows, scores }: RowScores, wanted: number): boolean {
  if (answer === undefined) return false;
  const last = answer.hits.at(-1);
  if (last === undefined || answer.hits.length < answer.limit || answer.limit >= MAX_HITS) return true;
  return rows.length >= wanted && scores[wanted - 1]! > last.score + ROUNDING;
}
