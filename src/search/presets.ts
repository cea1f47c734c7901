import { DowserError } from '../model/errors.ts';
import { meantName } from '../model/meant-name.ts';
import type { UnitKind } from '../model/unit.ts';
import { LINEAR_WEIGHTS } from './identifier/adr-003.ts';
import type { Preset } from './preset.ts';
import { SOFT_CAP } from './ranking/distribute/distribute.ts';
import { RRF_K } from './ranking/fusion/by-rank.ts';

/** Path 5 + name 3 + description 2 + tags 1.5 + metadata 1 + one tool 1: the registry's code and newer document. */
export const MAX_LEXICAL_BOOST = 13.5;

/** The registry's candidate limits. */
const candidateLimit = (end: number) => Math.max(3 * end, 50);
const perTypeLimit = (end: number) => Math.max(2 * end, 30);

/**
 * Units, not entities: several units of one entity may stand in a list, so fetch more than a page needs. Far pages need no
 * such share of the first: for them a few hundred more than they show.
 */
const unitLimit = (end: number) => Math.max(75, Math.min(6 * end, end + 500));

/** ADR-003 and the memory service take twice a page from each leg. */
const twice = (end: number) => 2 * end;

/**
 * Next to none of the queries of the collections in docs/quality.md is less sure of its best result. Higher, and a catalog
 * whose entries are all alike (the endpoints of one API) would lose answers that it has.
 */
const NO_MATCH = 0.01;

const HYBRID: Preset = {
  name: 'hybrid',
  summary: 'BM25F and vectors over every unit, joined by score with weights for each query. The default.',
  keyword: { scorer: 'bm25f', limit: unitLimit },
  vector: { perType: false, limit: unitLimit },
  fusion: 'blend',
  shareOf: 1,
  parts: true,
  cosines: 'plain',
  cardCounts: true,
  rrfK: RRF_K,
  weights: 'adaptive',
  anchors: 'tier',
  skipsModel: 'index',
  noMatchBelow: NO_MATCH,
  softCap: SOFT_CAP,
  perTypeCap: null,
  normalize: null,
  floor: 0,
  resort: true,
  ties: 'id',
};

/** A part of the default, for comparison: what it leaves out is left out. */
const PART: Preset = { ...HYBRID, cardCounts: false, anchors: 'none', skipsModel: 'never', noMatchBelow: 0 };

const KEYWORD: Preset = {
  ...PART,
  name: 'keyword',
  summary: 'The keyword leg of the default alone: BM25F, no model.',
  vector: null,
  weights: { keyword: 1, vector: 0 },
};

const VECTOR: Preset = {
  ...PART,
  name: 'vector',
  summary: 'The vector leg of the default alone.',
  weights: { keyword: 0, vector: 1 },
};

const RRF: Preset = {
  ...PART,
  name: 'rrf',
  summary: 'The legs of the default joined by plain reciprocal rank fusion.',
  fusion: 'rrf',
  weights: { keyword: 1, vector: 1 },
  normalize: 'ratio',
};

const REGISTRY: Preset = {
  ...PART,
  parts: false,
  name: 'registry',
  summary: "The registry's newer design to the letter: RRF over cosine and substring boost, min-max, 20 % floor.",
  keyword: { scorer: 'boost', unitKinds: ['card'], limit: candidateLimit },
  vector: { perType: true, unitKinds: ['card'], limit: perTypeLimit },
  fusion: 'rrf',
  weights: { keyword: 1, vector: 1 },
  normalize: 'minmax',
  floor: 0.2,
  resort: false,
  ties: 'vector-first',
};

const REGISTRY_LEGACY: Preset = {
  ...REGISTRY,
  name: 'registry-legacy',
  summary: "The registry's older design to the letter: shifted cosine plus a tenth of the boost, three of each type.",
  fusion: 'boosted',
  perTypeCap: 3,
  normalize: null,
  floor: 0,
};

const LEXICAL: Preset = {
  ...REGISTRY,
  name: 'lexical',
  summary: "The registry's fallback without a model: substring boost as a share of 13.5.",
  vector: null,
  fusion: 'share',
  shareOf: MAX_LEXICAL_BOOST,
  weights: { keyword: 1, vector: 0 },
  normalize: null,
  floor: 0,
  ties: 'id',
};

const LINEAR: Preset = {
  ...PART,
  parts: false,
  name: 'linear',
  summary: 'ADR-003, option A: 0.7 of the cosine and 0.3 of the share of the query’s words.',
  keyword: { scorer: 'coverage', limit: twice },
  vector: { perType: false, limit: twice },
  fusion: 'linear',
  weights: LINEAR_WEIGHTS,
};

const ADAPTIVE: Preset = {
  ...LINEAR,
  name: 'adaptive',
  summary: 'ADR-003, option B: the same with weights by how specific the query is.',
  weights: 'specificity',
};

const ANCHORED: Preset = {
  ...LINEAR,
  name: 'anchored',
  summary: 'ADR-003, option C: option A times 1.5 for each anchor; one identifier alone needs no model.',
  anchors: 'factor',
  skipsModel: 'pattern',
};

const MEMORY: Preset = {
  ...PART,
  parts: false,
  name: 'memory',
  summary: "The memory service's design: 0.3 of BM25 and 0.7 of the shifted cosine, twice a page from each leg.",
  keyword: { scorer: 'bm25f', limit: twice },
  vector: { perType: false, limit: twice },
  fusion: 'linear',
  cosines: 'shifted',
  weights: { keyword: 0.3, vector: 0.7 },
};

/** A search by tags alone: everything that has them, all alike. */
export function tagsOnly(toolsAsResults: boolean): Preset {
  const unitKinds: readonly UnitKind[] = toolsAsResults ? ['card', 'tool'] : ['card'];
  return {
    ...LEXICAL,
    keyword: { scorer: 'constant', unitKinds, limit: (end) => 5 * end },
    shareOf: 1,
  };
}

export const PRESETS: Readonly<Record<string, Preset>> = Object.fromEntries(
  [HYBRID, REGISTRY, REGISTRY_LEGACY, LEXICAL, LINEAR, ADAPTIVE, ANCHORED, MEMORY, KEYWORD, VECTOR, RRF].map(
    (preset) => [preset.name, preset],
  ),
);

/** Where neither the request nor a setting names one. */
export const DEFAULT_PRESET = 'hybrid';

export function presetNamed(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const names = Object.keys(PRESETS);
  const meant = meantName(name, names);
  throw new DowserError('UNKNOWN_PRESET', `There is no preset '${name}'.`, {
    field: 'preset',
    hint: `${meant === undefined ? '' : `Did you mean '${meant}'? `}Use one of ${names.join(', ')}.`,
  });
}

/**
 * What a preset becomes when the vector leg cannot be used. The registry's designs have their own fallback; elsewhere the
 * keyword leg stands alone, also where its weight was 0: an answer by keyword is better than none.
 */
export function withoutVectors(preset: Preset): Preset {
  if (preset.vector === null && (typeof preset.weights === 'string' || preset.weights.keyword > 0)) return preset;
  if (preset.keyword.scorer === 'boost') return { ...LEXICAL, name: preset.name };
  return { ...preset, vector: null, weights: { keyword: 1, vector: 0 } };
}
