/** Pure functions of the ranking, for library users. Documented in `docs/ranking.md`. */
export { flattenMetadata } from '../model/text/metadata-text.ts';
export { textBoost } from './keyword/boost/text-boost.ts';
export { toolScore } from './keyword/boost/tool-score.ts';
export { type DistributeOptions, distribute, SOFT_CAP } from './ranking/distribute/distribute.ts';
export { RRF_K } from './ranking/fusion/by-rank.ts';
export { analyze } from './text/analyzer.ts';
export { boostTokens } from './text/boost-tokens.ts';
