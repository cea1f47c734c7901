import { DowserError } from '../model/errors.ts';
import type { UnitKind } from '../model/unit.ts';
import type { NormalizeMode } from './calibrate/normalize-scores.ts';
import { SOFT_CAP } from './distribute/distribute.ts';
import type { LegWeights } from './fusion/blend.ts';
import { RRF_K } from './fusion/rrf.ts';

/** How one leg retrieves. */
export interface LegSettings {
  /** Only units of these kinds; absent means all. */
  readonly unitKinds?: readonly UnitKind[];
  /** How many units to fetch for a page of `maxResults`. */
  readonly limit: (maxResults: number) => number;
}

export interface KeywordSettings extends LegSettings {
  readonly scorer: 'bm25f' | 'boost' | 'constant';
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
   * `blend` joins scores (`fusion/blend.ts`), `rrf` ranks; `share` shows the keyword score as a share of `shareOf`, for
   * rankings with one leg.
   */
  readonly fusion: 'blend' | 'rrf' | 'share';
  readonly shareOf: number;
  readonly rrfK: number;
  /** Fixed, or chosen for each query by how well each leg tells its results apart. */
  readonly weights: LegWeights | 'adaptive';
  readonly softCap: number;
  /** How scores are scaled for display; null shows them as they are. */
  readonly normalize: NormalizeMode | null;
  readonly floor: number;
  /** Put the page back in score order after soft caps have moved results behind others. */
  readonly resort: boolean;
  /** Which of two equal scores comes first: the lower id, or the one the vector leg found (the registry's way). */
  readonly ties: 'id' | 'vector-first';
}

/** Path 5 + name 3 + description 2 + tags 1.5 + metadata 1 + one tool 1: the registry's code and newer document. */
export const MAX_LEXICAL_BOOST = 13.5;

/** The registry's candidate limits. */
const candidateLimit = (maxResults: number) => Math.max(3 * maxResults, 50);
const perTypeLimit = (maxResults: number) => Math.max(2 * maxResults, 30);

/** Units, not entities: several units of one entity may stand in a list, so fetch more than a page needs. */
const unitLimit = (maxResults: number) => Math.max(6 * maxResults, 75);

const HYBRID: Preset = {
  name: 'hybrid',
  summary: 'BM25F and vectors over every unit, joined by score with weights for each query. The default.',
  keyword: { scorer: 'bm25f', limit: unitLimit },
  vector: { perType: false, limit: unitLimit },
  fusion: 'blend',
  shareOf: 1,
  rrfK: RRF_K,
  weights: 'adaptive',
  softCap: SOFT_CAP,
  normalize: null,
  floor: 0,
  resort: true,
  ties: 'id',
};

const KEYWORD: Preset = {
  ...HYBRID,
  name: 'keyword',
  summary: 'The keyword leg of the default alone: BM25F, no model.',
  vector: null,
  weights: { keyword: 1, vector: 0 },
};

const VECTOR: Preset = {
  ...HYBRID,
  name: 'vector',
  summary: 'The vector leg of the default alone.',
  weights: { keyword: 0, vector: 1 },
};

const RRF: Preset = {
  ...HYBRID,
  name: 'rrf',
  summary: 'The legs of the default joined by plain reciprocal rank fusion.',
  fusion: 'rrf',
  weights: { keyword: 1, vector: 1 },
  normalize: 'ratio',
};

const REGISTRY: Preset = {
  name: 'registry',
  summary: "The registry's newer design to the letter: RRF over cosine and substring boost, min-max, 20 % floor.",
  keyword: { scorer: 'boost', unitKinds: ['card'], limit: candidateLimit },
  vector: { perType: true, unitKinds: ['card'], limit: perTypeLimit },
  fusion: 'rrf',
  shareOf: 1,
  rrfK: RRF_K,
  weights: { keyword: 1, vector: 1 },
  softCap: SOFT_CAP,
  normalize: 'minmax',
  floor: 0.2,
  resort: false,
  ties: 'vector-first',
};

const LEXICAL: Preset = {
  name: 'lexical',
  summary: "The registry's fallback without a model: substring boost as a share of 13.5.",
  keyword: { scorer: 'boost', unitKinds: ['card'], limit: candidateLimit },
  vector: null,
  fusion: 'share',
  shareOf: MAX_LEXICAL_BOOST,
  rrfK: RRF_K,
  weights: { keyword: 1, vector: 0 },
  softCap: SOFT_CAP,
  normalize: null,
  floor: 0,
  resort: false,
  ties: 'id',
};

/** A search by tags alone: everything that has them, all alike. */
export function tagsOnly(toolsAsResults: boolean): Preset {
  const unitKinds: readonly UnitKind[] = toolsAsResults ? ['card', 'tool'] : ['card'];
  return {
    ...LEXICAL,
    keyword: { scorer: 'constant', unitKinds, limit: (maxResults) => 5 * maxResults },
    shareOf: 1,
  };
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  hybrid: HYBRID,
  registry: REGISTRY,
  lexical: LEXICAL,
  keyword: KEYWORD,
  vector: VECTOR,
  rrf: RRF,
};

export function presetNamed(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  throw new DowserError('UNKNOWN_PRESET', `There is no preset '${name}'.`, {
    field: 'preset',
    hint: `Use one of ${Object.keys(PRESETS).join(', ')}.`,
  });
}

/**
 * What a preset becomes when the vector leg cannot be used. The registry's designs have their own fallback; elsewhere the
 * keyword leg stands alone, also where its weight was 0: an answer by keyword is better than none.
 */
export function withoutVectors(preset: Preset): Preset {
  if (preset.vector === null && (preset.weights === 'adaptive' || preset.weights.keyword > 0)) return preset;
  if (preset.keyword.scorer === 'boost') return { ...LEXICAL, name: preset.name };
  return { ...preset, vector: null, weights: { keyword: 1, vector: 0 } };
}
