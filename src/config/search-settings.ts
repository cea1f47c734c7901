import { z } from 'zod';
import { DEFAULT_PRESET, PRESETS } from '../search/presets.ts';
import { DEFAULT_EF_SEARCH } from '../search/vector/ef-search.ts';
import type { SettingDefinitions } from './setting-definition.ts';
import { share, whole, word } from './setting-values.ts';

/** What the registry's own setting for the fusion calls its two designs. */
const FUSION_METHODS: Readonly<Record<string, string>> = { rrf: 'registry', legacy: 'registry-legacy' };

/** How things are indexed, ranked and compared. */
export const SEARCH_SETTINGS = {
  indexing_wait_ms: {
    schema: whole(0, 600_000).default(2000),
    env: ['DOWSER_INDEXING_WAIT_MS'],
    flag: null,
    shown: '`2000`',
    meaning: 'How long a write waits for its vectors, in milliseconds, before it leaves them to the background queue.',
  },
  preset: {
    schema: z
      .preprocess(
        (value) => (typeof value === 'string' ? (FUSION_METHODS[value] ?? value) : value),
        word.refine((name) => Object.hasOwn(PRESETS, name), `must be one of ${Object.keys(PRESETS).join(', ')}`),
      )
      .default(DEFAULT_PRESET),
    env: ['DOWSER_PRESET', 'SEARCH_FUSION_METHOD'],
    flag: null,
    shown: `\`${DEFAULT_PRESET}\``,
    meaning:
      'The ranking of a search that names none. As the registry’s own names, `rrf` here means `registry` and `legacy` means `registry-legacy`.',
  },
  vector_search_ef_search: {
    schema: whole(10, 100_000).default(DEFAULT_EF_SEARCH),
    env: ['VECTOR_SEARCH_EF_SEARCH'],
    flag: null,
    shown: `\`${DEFAULT_EF_SEARCH}\``,
    meaning:
      'Where vectors are searched approximately (in the embedded engine from some 3,000 eligible units on), about how many of the most promising are compared closely at first: more follow where a query needs them. More is surer and slower.',
  },
  dedup_score_threshold: {
    schema: share.default(0.7),
    env: ['DEDUP_SCORE_THRESHOLD'],
    flag: null,
    shown: '`0.7`',
    meaning: 'The cosine, 0 to 1, from which on a registered entity is suggested as a duplicate of a new one.',
  },
  dedup_max_suggestions: {
    schema: whole(0, 50).default(3),
    env: ['DEDUP_MAX_SUGGESTIONS'],
    flag: null,
    shown: '`3`',
    meaning: 'How many such suggestions a check for duplicates gives at most, 0 to 50.',
  },
} as const satisfies SettingDefinitions;
