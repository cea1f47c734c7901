import type { UnitKind } from '../../model/entity-parts/unit.ts';
import type { NormalizeMode } from '../ranking/calibrate/normalize-scores.ts';
import type { LegWeights } from '../ranking/fusion/blend.ts';
import type { Scorer } from '../retrieval/retrieval.ts';

/** The settings of one leg. */
interface LegSettings {
  /** Only units of these kinds. Default: all kinds. */
  readonly unitKinds?: readonly UnitKind[];
  /** The number of units to fetch for a page that ends with result number `end`. */
  readonly limit: (end: number) => number;
}

interface KeywordSettings extends LegSettings {
  readonly scorer: Scorer;
}

interface VectorSettings extends LegSettings {
  /** Fetch `limit` units of each entity type, so that a frequent type cannot crowd out the others. */
  readonly perType: boolean;
}

/** A named ranking: its legs, how their scores are fused, and the default numbers, which a request can override. */
export interface Preset {
  readonly name: string;
  readonly summary: string;
  readonly keyword: KeywordSettings;
  /** null: no vector leg, so the query is not embedded. */
  readonly vector: VectorSettings | null;
  /**
   * How the scores of the legs are fused:
   * - `blend`: scores, normalized and weighted for each query (`fusion/blend.ts`).
   * - `rrf`: reciprocal ranks.
   * - `linear`: a weighted sum of scores. A unit that a leg did not find gets 0 from it.
   * - `boosted`: the registry's older formula, the shifted cosine plus a tenth of the boost.
   * - `share`: the keyword score divided by `shareOf`, for rankings with one leg.
   */
  readonly fusion: 'blend' | 'rrf' | 'linear' | 'boosted' | 'share';
  readonly shareOf: number;
  /** Whether a long query is also searched part by part, see `query-parts.ts`. */
  readonly parts: boolean;
  /** For `linear`: plain cosines, or cosines shifted from [-1, 1] to [0, 1]. */
  readonly cosines: 'plain' | 'shifted';
  /** Whether the card of an entity adds to the scores of its other units (`CARD_SHARE`). */
  readonly cardCounts: boolean;
  /**
   * For `blend`: whether the tools of a server are compared with each other (`tool-choice.ts`), and a tool that does what the
   * query asks gains (`actions.ts`).
   */
  readonly choosesTools: boolean;
  /**
   * For `linear` with BM25F: keyword scores as a share of the highest possible, or the memory service's own scale, which
   * gives the best match the lowest score (`inverseKeywordScore`).
   */
  readonly keywordScale: 'share' | 'inverse';
  readonly rrfK: number;
  /** For `rrf`: what a result gets once for being in both lists. */
  readonly consensus: number;
  /**
   * Fixed weights, `adaptive` for weights by query (`fusion/blend.ts`), the same for `conversation`, or ADR-003's
   * `specificity` of the query.
   */
  readonly weights: LegWeights | 'adaptive' | 'conversation' | 'specificity';
  /**
   * How to rank results that hold an identifier of the query. `tier` puts them first, or among the first three if the
   * query has other words too. `factor` multiplies their scores, as in ADR-003.
   */
  readonly anchors: 'none' | 'tier' | 'factor';
  /** How edges between results change their order: not at all, bounded by relevance, or by ToolPilot's `legacy` formula. */
  readonly graph: 'none' | 'bounded' | 'legacy';
  /** The share of its score that a server loses while it does not respond, unless the query names it. */
  readonly deadShare: number;
  /** When to skip the embedding: never, if the query matches ADR-003's `pattern`, or if the `index` has all its codes. */
  readonly skipsModel: 'never' | 'pattern' | 'index';
  /** If the catalog is less likely to answer the query, the answer has no match. 0: every answer matches. */
  readonly minAnswerable: number;
  /** The number of units of each leg that are ranked first; null to rank all units at once. */
  readonly depth: number | null;
  /** Soft caps apply to this many results at a time; null to apply them to each page. */
  readonly window: number | null;
  readonly softCap: number;
  /** The maximum number of results of each type; null to use soft caps. */
  readonly perTypeCap: number | null;
  /** The maximum number of tools that are listed from the found servers; null for the rule of `toolLimit`. */
  readonly maxTools: number | null;
  /** How to normalize scores for display; null to show them unchanged. */
  readonly normalize: NormalizeMode | null;
  readonly floor: number;
  /** Sort the page by score again after soft caps have changed its order. */
  readonly resort: boolean;
  /** The order of equal scores: by id, or results of the vector leg first, as in the registry. */
  readonly ties: 'id' | 'vector-first';
}
