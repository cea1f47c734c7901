import { z } from 'zod';
import { DEFAULT_PRESET, PRESETS } from '../search/plan/presets.ts';
import { RERANK_MODES } from '../search/ranking/by-reading.ts';
import { DEFAULT_EF_SEARCH } from '../search/vector/ef-search.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { address, oneOf, onOff, share, whole, word } from './setting-values.ts';

/** The names of the MCP gateway registry for its two fusion methods. */
const FUSION_METHODS: Readonly<Record<string, string>> = { rrf: 'registry', legacy: 'registry-legacy' };

/** Indexing, ranking and duplicates. */
export const SEARCH_SETTINGS = {
  indexing_wait_ms: {
    schema: whole(0, 600_000).default(2000),
    env: ['DOWSER_INDEXING_WAIT_MS'],
    meaning: 'How long a write waits for its vectors, in milliseconds. After that, the background queue computes them.',
  },
  preset: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (FUSION_METHODS[value] ?? value) : value),
        word.refine((name) => Object.hasOwn(PRESETS, name), `must be one of ${Object.keys(PRESETS).join(', ')}`),
      )
      .default(DEFAULT_PRESET),
    env: ['DOWSER_PRESET', 'SEARCH_FUSION_METHOD'],
    meaning: 'The default ranking. For compatibility, `rrf` means `registry` and `legacy` means `registry-legacy`.',
  },
  vector_search_ef_search: {
    schema: whole(10, 100_000).default(DEFAULT_EF_SEARCH),
    env: ['VECTOR_SEARCH_EF_SEARCH'],
    meaning:
      'How many candidates an approximate vector search compares exactly at first. A higher value is more accurate and slower. The embedded engine searches approximately when there are more than about 3,000 eligible units.',
  },
  rerank: {
    schema: oneOf(RERANK_MODES).default('off'),
    env: ['DOWSER_RERANK'],
    meaning:
      'Whether a reranker reads the query and the first tools together and orders them again: `auto` where the first tools are close, `always` for each query of up to 300 characters, or `off`. Needs `rerank_api_base`.',
  },
  rerank_api_base: {
    schema: address.optional(),
    env: ['RERANK_API_BASE'],
    meaning:
      'The address of a rerank endpoint, without `/rerank`: of Cohere, Jina, Voyage, vLLM, LiteLLM, llama.cpp and others.',
  },
  rerank_api_key: {
    schema: word.optional(),
    env: ['RERANK_API_KEY'],
    meaning: 'The API key of the rerank endpoint. Never printed or logged.',
    secret: true,
  },
  rerank_model_name: {
    schema: word.optional(),
    env: ['RERANK_MODEL_NAME'],
    meaning: 'The model of the rerank endpoint.',
  },
  rerank_timeout_ms: {
    schema: whole(1, 60_000).default(500),
    env: ['RERANK_TIMEOUT_MS'],
    meaning:
      'How long a search waits for the reranker, in milliseconds. After that, the first tools keep their order and the answer has a warning.',
  },
  withhold_drifted: {
    schema: onOff.default(false),
    env: ['DOWSER_WITHHOLD_DRIFTED'],
    meaning:
      'Whether searches leave out entities whose definitions have changed since they were accepted. `dowser drift` lists and accepts them.',
  },
  dedup_score_threshold: {
    schema: share.default(0.7),
    env: ['DEDUP_SCORE_THRESHOLD'],
    meaning: 'The minimum cosine similarity of a duplicate, 0 to 1.',
  },
  dedup_max_suggestions: {
    schema: whole(0, 50).default(3),
    env: ['DEDUP_MAX_SUGGESTIONS'],
    meaning: 'The maximum number of duplicates that a check returns, 0 to 50.',
  },
} as const satisfies SettingDefinitions;
