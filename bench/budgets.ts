import { titleOf } from './contenders/contenders.ts';
import type { BenchResult, Measured, NotMeasured, SizeResult } from './figures.ts';

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
/**
 * How many times as long as Dowser a peer must take. zvec may be up to 1.2 times faster: it searches with several threads and
 * needs more processor time, while Dowser leaves the other cores to other work.
 */
const MIN_TIMES: Readonly<Record<string, number>> = { sqlite: 10, zvec: 1 / 1.2 };

const HELP_TIMES = 2;
/** Shares of the time in which the same texts are embedded, so that they mean the same on any machine. */
const PAUSE_SHARE = 0.25;
const QUERY_SHARE = 0.1;

/** Speed must not be bought with wrong neighbors. */
const MIN_RECALL = 0.98;

export const megabytes = (bytes: number) => bytes / 1_000_000;

/** Everything that was promised and can be seen in these results. */
export function checkBudgets({ sizes, responsiveness }: BenchResult): readonly Budget[] {
  const bySize = sizes.flatMap((size) => {
    const own = size.outcomes.dowser;
    if (own === undefined) return [];
    if (own.status !== 'measured') return [unmeasured(`Dowser at ${size.units} units`, own)];
    return [...ownBudgets(size, own), ...(size.units === BIG ? peerBudgets(size, own) : [])];
  });
  return [...bySize, ...responseBudgets(responsiveness)];
}

function unmeasured(what: string, { reason }: NotMeasured): Budget {
  return { what, limit: 'can be measured', measured: reason, kept: false };
}

function responseBudgets(figures: BenchResult['responsiveness']): readonly Budget[] {
  if (figures === null) return [];
  if (figures.status !== 'measured') return [unmeasured('command start and event loop', figures)];
  const { helpTimes, pauseShare, queryShare } = figures;
  const share = (what: string, limit: number, measured: number): Budget => ({
    what,
    limit: `under ${100 * limit}% of the time it takes`,
    measured: `${(100 * measured).toFixed(1)}%`,
    kept: measured < limit,
  });
  return [
    {
      what: '`dowser --help` vs. `node -e 0`',
      limit: `under ${HELP_TIMES} times`,
      measured: `${helpTimes.toFixed(1)} times`,
      kept: helpTimes < HELP_TIMES,
    },
    share('longest event loop pause while 200 texts are embedded', PAUSE_SHARE, pauseShare),
    share("wait for a query's embedding while 200 texts are embedded", QUERY_SHARE, queryShare),
  ];
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
      const least = MIN_TIMES[peer] ?? 1;
      const what = `hybrid search vs. ${titleOf(peer)} at ${units} units`;
      const limit = limitOf(least);
      if (outcome.status !== 'measured') {
        return { what, limit, measured: `${outcome.status}: ${outcome.reason}`, kept: outcome.status === 'capped' };
      }
      const times = outcome.search.hybrid.p50 / search.hybrid.p50;
      const measured = least < 1 ? `${(1 / times).toFixed(2)} times as long` : `${times.toFixed(1)} times`;
      return { what, limit, measured, kept: least === 1 ? times > 1 : times >= least };
    });
}

function limitOf(least: number): string {
  if (least === 1) return 'faster';
  return least < 1 ? `at most ${(1 / least).toFixed(1)} times as long` : `at least ${least} times faster`;
}
