/** How long one kind of question took, in milliseconds, over `count` questions. */
export interface Timing {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
  readonly count: number;
}

export interface BuildFigures {
  readonly seconds: number;
  /** On disk; null for what lives in memory only. */
  readonly bytes: number | null;
}

export interface SearchFigures {
  /** Null for an index in memory only: it is built again at each start. */
  readonly openMs: number | null;
  /** The first question of a fresh process, after opening. */
  readonly firstAnswerMs: number;
  /** Resident memory of the process after opening and the warm-up. */
  readonly rssBytes: number;
  /** The share of the ten exact neighbors that its vector leg has among its first ten. */
  readonly recall: number;
  /** Processor time of a hybrid search, all threads together, the mean: what a busy machine would feel. */
  readonly cpuMs: number;
  readonly hybrid: Timing;
  readonly keyword: Timing;
  readonly vector: Timing;
}

export interface Measured {
  readonly status: 'measured';
  readonly version: string;
  readonly how: string;
  readonly build: BuildFigures;
  readonly search: SearchFigures;
}

/** `capped`: it ran, but out of the time or memory it was given. `failed`: it could not be used at all. */
export interface NotMeasured {
  readonly status: 'capped' | 'failed';
  readonly reason: string;
}

export type Outcome = Measured | NotMeasured;

/** Of one corpus size: an outcome for each contender, by its name. */
export interface SizeResult {
  readonly units: number;
  readonly entities: number;
  readonly queries: number;
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** What a person waits for apart from searches. */
export interface Responsiveness {
  readonly status: 'measured';
  /** `dowser --help` as a multiple of `node -e 0`. */
  readonly helpTimes: number;
  /** The longest pause of the event loop while documents are embedded, as a share of the time that takes. */
  readonly pauseShare: number;
  /** The wait for a query's embedding meanwhile, as a share of the same time. */
  readonly queryShare: number;
}

export interface BenchResult {
  readonly command: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGb: number; readonly node: string };
  /** Processes waiting to run before the benchmark began, over a minute: others on the machine make every figure worse. */
  readonly loadBefore: number;
  /** Null when Dowser is not among the contenders. */
  readonly responsiveness: Responsiveness | NotMeasured | null;
  readonly sizes: readonly SizeResult[];
}

/** Of several rounds, each figure for itself: the middle one, of two the lower. Undefined of none. */
export function middleFigures(rounds: readonly SearchFigures[]): SearchFigures | undefined {
  const [first] = rounds;
  if (first === undefined) return undefined;
  const middle = (of: (round: SearchFigures) => number) => {
    const sorted = rounds.map(of).sort((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 2)]!;
  };
  const timing = (of: (round: SearchFigures) => Timing): Timing => ({
    p50: middle((round) => of(round).p50),
    p95: middle((round) => of(round).p95),
    p99: middle((round) => of(round).p99),
    mean: middle((round) => of(round).mean),
    count: middle((round) => of(round).count),
  });
  return {
    openMs: first.openMs === null ? null : middle(({ openMs }) => openMs!),
    firstAnswerMs: middle(({ firstAnswerMs }) => firstAnswerMs),
    rssBytes: middle(({ rssBytes }) => rssBytes),
    recall: middle(({ recall }) => recall),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    hybrid: timing(({ hybrid }) => hybrid),
    keyword: timing(({ keyword }) => keyword),
    vector: timing(({ vector }) => vector),
  };
}

/** The nearest-rank percentiles of durations in milliseconds. */
export function timingOf(durations: readonly number[]): Timing {
  if (durations.length === 0) throw new RangeError('There are no durations to summarize.');
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  const mean = sorted.reduce((sum, ms) => sum + ms, 0) / sorted.length;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), mean, count: sorted.length };
}
