import type { EntityId } from '../model/entity.ts';
import type { Edge } from '../model/entity-parts/edge.ts';

/** One caller used two things together, on a day. */
export interface CoUseReport {
  /** Between these two, in id order. */
  readonly a: EntityId;
  readonly b: EntityId;
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const CO_USE = 'co_use';
/** A pair counts once this many callers have reported it: one caller alone changes nothing for others. */
export const MIN_REPORTERS = 3;
/** More reports of one caller on one day are not counted. */
export const MAX_REPORTS_PER_DAY = 50;
/** The reports that are kept for one entity. */
export const MAX_KEPT_REPORTS = 500;
/** Reported use counts half after about 140 days. */
const DECAY_PER_DAY = 0.005;
const CONFIDENCE = 0.6;
const MS_PER_DAY = 86_400_000;

/** The edge that follows from the reports of one pair; null while too few callers have reported it. */
export function coUseEdge(reports: readonly CoUseReport[]): Edge | null {
  const [first] = reports;
  const reporters = new Set(reports.map(({ by }) => by));
  if (first === undefined || reporters.size < MIN_REPORTERS) return null;
  return {
    source: first.a,
    target: first.b,
    type: 'POPULAR_WITH',
    weight: reporters.size,
    confidence: CONFIDENCE,
    decay: DECAY_PER_DAY,
    verifiedAt: Math.max(...reports.map(({ at }) => at)),
    provenance: CO_USE,
  };
}

/**
 * The reports to keep for one entity. If there are too many, the oldest report of the most active caller goes first: no caller can push
 * out the reports of others.
 */
export function keepFairly(reports: readonly CoUseReport[]): readonly CoUseReport[] {
  const byCaller = new Map<string, CoUseReport[]>();
  for (const report of reports) {
    const own = byCaller.get(report.by);
    if (own === undefined) byCaller.set(report.by, [report]);
    else own.push(report);
  }
  for (const own of byCaller.values()) own.sort((x, y) => x.at - y.at);
  const dropped = new Set<CoUseReport>();
  while (reports.length - dropped.size > MAX_KEPT_REPORTS) {
    let most: CoUseReport[] = [];
    for (const own of byCaller.values()) if (own.length > most.length) most = own;
    dropped.add(most.shift()!);
  }
  return reports.filter((report) => !dropped.has(report));
}

const dayOf = (ms: number): number => Math.floor(ms / MS_PER_DAY);

/** Counts the reports of each caller by day. Forgets other days. */
export class DailyLimit {
  #day = Number.NaN;
  readonly #counts = new Map<string, number>();

  /** Whether it has counted reports of this caller today. */
  knows(by: string, now: number): boolean {
    return this.#day === dayOf(now) && this.#counts.has(by);
  }

  /** Goes on from what was counted before a restart, or by another server. */
  resume(by: string, reports: Iterable<CoUseReport>, now: number): void {
    this.#begin(now);
    let count = 0;
    for (const report of reports) if (report.by === by && dayOf(report.at) === this.#day) count += 1;
    this.#counts.set(by, count);
  }

  /** Whether one more is within the limit; counts it if so. */
  take(by: string, now: number): boolean {
    this.#begin(now);
    const count = this.#counts.get(by) ?? 0;
    if (count >= MAX_REPORTS_PER_DAY) return false;
    this.#counts.set(by, count + 1);
    return true;
  }

  #begin(now: number): void {
    if (dayOf(now) !== this.#day) this.#counts.clear();
    this.#day = dayOf(now);
  }
}
