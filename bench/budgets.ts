import { titleOf } from './contenders/contenders.ts';
import type { BenchResult, Measured, SizeResult } from './figures.ts';

export interface Budget {
  readonly what: string;
  readonly limit: string;
  readonly measured: string;
  readonly kept: boolean;
}

/** Milliseconds that half of all searches may take, by the number of units. */
const HYBRID_P50_MS: Readonly<Record<number, number>> = { 1000: 0.5, 10000: 1, 100000: 4 };

const BIG = 100_000;
const OPEN_MS = 1500;
const RSS_MB = 700;
const TIMES_SQLITE = 10;

/** Speed must not be bought with wrong neighbors. */
const MIN_RECALL = 0.98;

export const megabytes = (bytes: number) => bytes / 1_000_000;

/** Everything that was promised and can be seen in these results. */
export function checkBudgets({ sizes }: BenchResult): readonly Budget[] {
  return sizes.flatMap((size) => {
    const own = size.outcomes.dowser;
    if (own === undefined) return [];
    if (own.status !== 'measured') {
      const what = `Dowser at ${size.units} units`;
      return [{ what, limit: 'can be measured', measured: own.reason, kept: false }];
    }
    return [...ownBudgets(size, own), ...(size.units === BIG ? peerBudgets(size, own) : [])];
  });
}

function ownBudgets({ units }: SizeResult, { search }: Measured): readonly Budget[] {
  const budgets: Budget[] = [];
  const most = (what: string, limit: number, unit: string, measured: number) =>
    budgets.push({
      what: `${what} at ${units} units`,
      limit: `under ${limit} ${unit}`,
      measured: `${measured.toFixed(unit === 'MB' ? 0 : 2)} ${unit}`,
      kept: measured < limit,
    });
  const p50 = HYBRID_P50_MS[units];
  if (p50 !== undefined) most('hybrid search, p50', p50, 'ms', search.hybrid.p50);
  budgets.push({
    what: `vector recall@10 at ${units} units`,
    limit: `at least ${MIN_RECALL}`,
    measured: search.recall.toFixed(3),
    kept: search.recall >= MIN_RECALL,
  });
  if (units === BIG) {
    most('opening the store', OPEN_MS, 'ms', search.openMs ?? Number.POSITIVE_INFINITY);
    most('resident memory', RSS_MB, 'MB', megabytes(search.rssBytes));
  }
  return budgets;
}

/** A peer that ran out of time or memory is slower; one that could not be used at all proves nothing. */
function peerBudgets({ units, outcomes }: SizeResult, { search }: Measured): readonly Budget[] {
  return Object.entries(outcomes)
    .filter(([peer]) => peer !== 'dowser')
    .map(([peer, outcome]) => {
      const least = peer === 'sqlite' ? TIMES_SQLITE : 1;
      const what = `hybrid search beside ${titleOf(peer)} at ${units} units`;
      const limit = least === 1 ? 'faster' : `at least ${least} times faster`;
      if (outcome.status !== 'measured') {
        return { what, limit, measured: `${outcome.status}: ${outcome.reason}`, kept: outcome.status === 'capped' };
      }
      const times = outcome.search.hybrid.p50 / search.hybrid.p50;
      return { what, limit, measured: `${times.toFixed(1)} times`, kept: least === 1 ? times > 1 : times >= least };
    });
}
