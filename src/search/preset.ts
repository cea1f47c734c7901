import type { UnitKind } from '../model/unit.ts';
import type { NormalizeMode } from './ranking/calibrate/normalize-scores.ts';
import type { LegWeights } from './ranking/fusion/blend.ts';
import type { Scorer } from './retrieval/retrieval.ts';

/** How one leg retrieves. */
export interface LegSettings {
  /** Only units of these kinds; absent means all. */
  readonly unitKinds?: readonly UnitKind[];
  /** How many units to fetch for a page that ends with result number `end`. */
  readonly limit: (end: number) => number;
}

export interface KeywordSettings extends LegSettings {
  readonly scorer: Scorer;
}

export interface VectorSettings extends LegSettings {
  /** Fetch the limit for each entity type on its own, so that a numerous type cannot keep the others out. */
  readonly perType: boolean;
}

/** A ranking by name: which legs, how they are joined, and the numbers it uses where a request names none. */
export interface Preset {
  readonly name: string;
  readonly summary: string;
  readonly keyword: KeywordSettings;
  /** null: never embeds. */
  readonly vector: VectorSettings | null;
  /**
   * - `blend` joins scores on a scale made for each query (`fusion/blend.ts`).
   * - `rrf` joins ranks.
   * - `linear` adds the legs' own scores, weighted; what a leg did not find counts 0.
   * - `boosted` is the registry's older formula: the shifted cosine and a tenth of the boost.
   * - `share` is the keyword score as a share of `shareOf`, for rankings with one leg.
   */
  readonly fusion: 'blend' | 'rrf' | 'linear' | 'boosted' | 'share';
  readonly shareOf: number;
  /** Whether a long query is also searched for part by part: see `query-parts.ts`. */
  readonly parts: boolean;
  /** For `linear`: cosines as they are, or moved from [-1, 1] to [0, 1]. */
  readonly cosines: 'plain' | 'shifted';
  /** Whether an entity's card has its share in the score of its best part (`CARD_SHARE`). */
  readonly cardCounts: boolean;
  readonly rrfK: number;
  /** Fixed; or for each query, by how well each leg tells its results apart; or by ADR-003's specificity of the query. */
  readonly weights: LegWeights | 'adaptive' | 'specificity';
  /**
   * What becomes of results that hold an identifier of the query exactly: `tier` puts them first, or among the first
   * three where the query says more than the identifier; `factor` multiplies their scores, as ADR-003 has it.
   */
  readonly anchors: 'none' | 'tier' | 'factor';
  /** When a query needs no model: never, when it is one identifier by ADR-003's pattern, or when the index knows it for codes. */
  readonly skipsModel: 'never' | 'pattern' | 'index';
  /** An answer whose best result is less sure than this says that nothing matches. 0: never. */
  readonly noMatchBelow: number;
  readonly softCap: number;
  /** At most so many of each type, whatever else is on the page; null for soft caps. */
  readonly perTypeCap: number | null;
  /** How scores are scaled for display; null shows them as they are. */
  readonly normalize: NormalizeMode | null;
  readonly floor: number;
  /** Put the page back in score order after soft caps have moved results behind others. */
  readonly resort: boolean;
  /** Which of two equal scores comes first: the lower id, or the one the vector leg found (the registry's way). */
  readonly ties: 'id' | 'vector-first';
}
