import type { SettingDefinitions } from './setting-definition.ts';
import { oneOf, onOff, share, whole } from './setting-values.ts';

/** Searches of memories. The names of the memory service are taken too. */
export const MEMORY_SETTINGS = {
  memory_hybrid: {
    schema: onOff.default(true),
    env: ['DOWSER_MEMORY_HYBRID', 'MCP_HYBRID_SEARCH_ENABLED'],
    shown: '`true`',
    meaning: 'Whether memory searches in the mode `hybrid` use both legs. If not, they use the vector leg only.',
  },
  memory_fusion: {
    schema: oneOf(['weighted_average', 'rrf']).default('weighted_average'),
    env: ['DOWSER_MEMORY_FUSION', 'MCP_HYBRID_FUSION_METHOD'],
    shown: '`weighted_average`',
    meaning: 'How memory searches combine the legs: by score (`weighted_average`) or by rank (`rrf`).',
  },
  memory_keyword_weight: {
    schema: share.optional(),
    env: ['DOWSER_MEMORY_KEYWORD_WEIGHT', 'MCP_HYBRID_KEYWORD_WEIGHT'],
    shown: 'chosen for each query',
    meaning: 'The weight of the keyword leg in memory searches, 0 to 1.',
  },
  memory_semantic_weight: {
    schema: share.optional(),
    env: ['DOWSER_MEMORY_SEMANTIC_WEIGHT', 'MCP_HYBRID_SEMANTIC_WEIGHT'],
    shown: 'chosen for each query',
    meaning:
      'The weight of the vector leg in memory searches, 0 to 1. At least one of the two weights must be above 0.',
  },
  memory_certainty_days: {
    schema: whole(1, 36_500).default(30),
    env: ['DOWSER_MEMORY_CERTAINTY_DAYS'],
    shown: '`30`',
    meaning: 'The half-life of the certainty of a memory, in days.',
  },
  memory_readers: {
    schema: oneOf(['everyone', 'owner']).default('owner'),
    env: ['DOWSER_MEMORY_READERS'],
    shown: '`owner`',
    meaning:
      'Who may read a memory that a caller with a key or token stores without a namespace: its `owner` alone, or `everyone`.',
  },
} as const satisfies SettingDefinitions;
