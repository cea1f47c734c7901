import type { PresetName } from '../../model/entity-parts/names.ts';
import type { UnitKind } from '../../model/entity-parts/unit.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { MAX_QUERY_CHARS, MAX_REGISTRY_QUERY_CHARS } from '../../model/query/query.ts';
import { meantName } from '../../model/text/meant-name.ts';
import { LINEAR_WEIGHTS } from '../identifier/adr-003.ts';
import { SOFT_CAP } from '../ranking/distribute/distribute.ts';
import { RRF_K } from '../ranking/fusion/by-rank.ts';
import { isBoost } from '../retrieval/retrieval.ts';
import type { Preset } from './preset.ts';

/** Path 5 + name 3 + description 2 + tags 1.5 + metadata 1 + one tool 1, as in the registry's code. */
export const MAX_LEXICAL_BOOST = 13.5;

/** The same without metadata, as in its older document. */
export const OLDER_LEXICAL_BOOST = 12.5;

/** The registry's candidate limits. */
const candidateLimit = (end: number) => Math.max(3 * end, 50);
const perTypeLimit = (end: number) => Math.max(2 * end, 30);

/**
 * A list may have several units of one entity, so fetch more units than a page has results. The same number for every page
 * size, so that the first results stay the same: a list with too few results is made longer by `fetchEnough`.
 */
const FIRST_UNITS = 75;
const unitLimit = () => FIRST_UNITS;

/** ADR-003 and the memory service fetch twice the page size from each leg. */
const doubleLimit = (end: number) => 2 * end;

/** About one of 500 answerable queries of the collections in docs/quality.md is lower, but half of all nonsense. */
const MIN_ANSWERABLE = 0.0172;

/** Small: a check may fail for a moment, and the tool is the right one all the same. */
const DEAD_SHARE = 0.1;

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
  choosesTools: true,
  keywordScale: 'share',
  rrfK: RRF_K,
  consensus: 0,
  weights: 'adaptive',
  anchors: 'tier',
  graph: 'none',
  deadShare: DEAD_SHARE,
  skipsModel: 'index',
  minAnswerable: MIN_ANSWERABLE,
  depth: FIRST_UNITS,
  window: 10,
  softCap: SOFT_CAP,
  perTypeCap: null,
  maxTools: null,
  normalize: null,
  floor: 0,
  resort: true,
  ties: 'id',
};

/** The base of simpler presets, for comparison with the default. */
const BASE: Preset = {
  ...HYBRID,
  cardCounts: false,
  choosesTools: false,
  anchors: 'none',
  deadShare: 0,
  skipsModel: 'never',
  minAnswerable: 0,
};

const KEYWORD: Preset = {
  ...BASE,
  name: 'keyword',
  summary: 'The keyword leg of the default alone: BM25F, no model.',
  vector: null,
  weights: { keyword: 1, vector: 0 },
};

const VECTOR: Preset = {
  ...BASE,
  name: 'vector',
  summary: 'The vector leg of the default alone.',
  weights: { keyword: 0, vector: 1 },
};

const RRF: Preset = {
  ...BASE,
  name: 'rrf',
  summary: 'The legs of the default joined by plain reciprocal rank fusion.',
  fusion: 'rrf',
  weights: { keyword: 1, vector: 1 },
  normalize: 'ratio',
};

const REGISTRY: Preset = {
  ...BASE,
  parts: false,
  depth: null,
  window: null,
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
  summary:
    "The registry's older design to the letter: shifted cosine plus a tenth of the boost of each word, three of each type.",
  keyword: { ...REGISTRY.keyword, scorer: 'boost-each' },
  fusion: 'boosted',
  perTypeCap: 3,
  maxTools: 3,
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

/** The fallback of `registry-legacy`, not a preset of its own. */
const OLDER_LEXICAL: Preset = {
  ...LEXICAL,
  keyword: REGISTRY_LEGACY.keyword,
  shareOf: OLDER_LEXICAL_BOOST,
  perTypeCap: REGISTRY_LEGACY.perTypeCap,
  maxTools: REGISTRY_LEGACY.maxTools,
};

const LINEAR: Preset = {
  ...BASE,
  parts: false,
  depth: null,
  window: null,
  name: 'linear',
  summary: 'ADR-003, option A: 0.7 of the cosine and 0.3 of the share of the query’s words.',
  keyword: { scorer: 'coverage', limit: doubleLimit },
  vector: { perType: false, limit: doubleLimit },
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
  ...HYBRID,
  name: 'memory',
  summary: 'The default for memories: as hybrid, with weights for what was said in conversations.',
  weights: 'conversation',
  cardCounts: false,
  choosesTools: false,
  // A filter that leaves three memories returns these three. Who wants only sure ones says so with `min_confidence`.
  minAnswerable: 0,
};

const DOCUMENTS: Preset = {
  ...HYBRID,
  name: 'documents',
  summary: 'The default for chunks of documents: as hybrid, and the best chunks come however far they are.',
  cardCounts: false,
  choosesTools: false,
  // A book says things in other words than its readers ask: the line of a catalog of tools would leave out right
  // answers (`test/golden/document-rows.test.ts`). Each result has its confidence.
  minAnswerable: 0,
};

const MEMORY_LEGACY: Preset = {
  ...BASE,
  parts: false,
  depth: null,
  window: null,
  name: 'memory-legacy',
  summary: "The memory service's design to the letter: 0.3 of its BM25 scale, 0.7 of the shifted cosine, twice a page.",
  keyword: { scorer: 'bm25f', limit: doubleLimit },
  vector: { perType: false, limit: doubleLimit },
  fusion: 'linear',
  cosines: 'shifted',
  keywordScale: 'inverse',
  weights: { keyword: 0.3, vector: 0.7 },
};

const MEMORY_RRF: Preset = {
  ...MEMORY_LEGACY,
  name: 'memory-rrf',
  summary: "The memory service's rank fusion: reciprocal ranks, and 0.1 for being in both lists.",
  fusion: 'rrf',
  consensus: 0.1,
  weights: { keyword: 1, vector: 1 },
};

const RECOMMEND: Preset = {
  ...HYBRID,
  name: 'recommend',
  summary: 'The default, with results raised that are used together with the best ones.',
  graph: 'bounded',
};

const RECOMMEND_LEGACY: Preset = {
  ...RRF,
  parts: false,
  name: 'recommend-legacy',
  summary: "ToolPilot's design to the letter: RRF, then 0.6 of the graph and 0.4 of the place among the first 15.",
  graph: 'legacy',
  normalize: null,
};
/** A search by tags finds at most this many cards and tools, for every page size. */
const MAX_TAGGED_UNITS = 2500;

/** The preset of a search by tags only: every match has the same score. */
export function tagsPreset(toolsAsResults: boolean): Preset {
  const unitKinds: readonly UnitKind[] = toolsAsResults ? ['card', 'tool'] : ['card'];
  return {
    ...LEXICAL,
    keyword: { scorer: 'constant', unitKinds, limit: () => MAX_TAGGED_UNITS },
    window: HYBRID.window,
    shareOf: 1,
  };
}

const BY_NAME: Readonly<Record<PresetName, Preset>> = {
  hybrid: HYBRID,
  registry: REGISTRY,
  'registry-legacy': REGISTRY_LEGACY,
  lexical: LEXICAL,
  linear: LINEAR,
  adaptive: ADAPTIVE,
  anchored: ANCHORED,
  documents: DOCUMENTS,
  memory: MEMORY,
  'memory-legacy': MEMORY_LEGACY,
  'memory-rrf': MEMORY_RRF,
  keyword: KEYWORD,
  vector: VECTOR,
  rrf: RRF,
  recommend: RECOMMEND,
  'recommend-legacy': RECOMMEND_LEGACY,
};
export const PRESETS: Readonly<Record<string, Preset>> = BY_NAME;

/** Used if neither the request nor a setting names a preset. */
export const DEFAULT_PRESET = 'hybrid';

export function getPreset(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset !== undefined) return preset;
  const names = Object.keys(PRESETS);
  const suggestion = meantName(name, names);
  throw new DowserError('UNKNOWN_PRESET', `There is no preset '${name}'.`, {
    field: 'preset',
    hint: `${suggestion === undefined ? '' : `Did you mean '${suggestion}'? `}Use one of ${names.join(', ')}.`,
  });
}

/**
 * The preset without its vector leg. The registry's presets fall back to `lexical`. The others use the keyword leg alone,
 * even if its weight was 0, because keyword results are better than no results.
 */
export function withoutVectors(preset: Preset): Preset {
  if (preset.vector === null && (typeof preset.weights === 'string' || preset.weights.keyword > 0)) return preset;
  if (preset.keyword.scorer === 'boost-each') return { ...OLDER_LEXICAL, name: preset.name };
  if (preset.keyword.scorer === 'boost') return { ...LEXICAL, name: preset.name };
  return { ...preset, vector: null, weights: { keyword: 1, vector: 0 } };
}

/** The longest query that a preset takes. */
export function maxQueryChars({ keyword }: Preset): number {
  return isBoost(keyword.scorer) ? MAX_REGISTRY_QUERY_CHARS : MAX_QUERY_CHARS;
}
