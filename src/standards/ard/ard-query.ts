import { z } from 'zod';
import { MAX_QUERY_CHARS } from '../../model/query/query.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { ardEntrySchema } from './ard-entry.ts';

export const ARD_MAX_PAGE = 100;
const SEARCH_PAGE = 10;
const FACET_LIMIT = 20;

const filter = z
  .record(z.string().max(512), z.union([z.string(), z.array(z.string()).max(100)], 'must be text or a list of strings'))
  .optional()
  .describe('Terms with their values. Every term must match, each with any of its values.');
const context = z.unknown().optional().describe('The meaning of prefixes in the filter.');

const searchText = z
  .string('must be text')
  .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty');

export const ardSearchRequestSchema = z.object({
  query: z.object({ text: searchText, filter, '@context': context }),
  federation: z
    .enum(['auto', 'referrals', 'none'], 'must be auto, referrals or none')
    .default('auto')
    .describe(
      'This registry searches only itself. `auto` and `referrals` name other registries, if the setting has any.',
    ),
  pageSize: wholeNumber(1, ARD_MAX_PAGE).default(SEARCH_PAGE),
  pageToken: z.string().optional(),
});

export const ardSearchResponseSchema = z.object({
  results: z.array(
    ardEntrySchema.extend({
      score: z.int().min(0).max(100).describe('Relevance, not trust.'),
      source: z.string().describe('The registry of the entry.'),
    }),
  ),
  referrals: z.array(z.record(z.string(), z.unknown())).optional(),
  pageToken: z.string().optional(),
});

export const ardExploreRequestSchema = z.object({
  query: z.object({ text: searchText.optional(), filter, '@context': context }).default({}),
  resultType: z.object({
    facets: z
      .array(
        z.object({
          field: z.string(),
          limit: z.int().min(1).max(1000).default(FACET_LIMIT),
          minCount: z.int().min(1).default(1),
        }),
      )
      .min(1, 'must name a facet')
      .max(20, 'must have at most 20 facets'),
  }),
});

export const ardExploreResponseSchema = z.object({
  resultType: z.literal('facets'),
  facets: z.record(
    z.string(),
    z.object({
      buckets: z.array(z.object({ value: z.string(), count: z.int() })),
      otherCount: z.int().optional(),
    }),
  ),
});

export const ardListResponseSchema = z.object({
  items: z.array(ardEntrySchema),
  total: z.int().min(0),
  pageToken: z.string().optional(),
});

export const ardManifestSchema = z.object({
  specVersion: z.string(),
  host: z.object({ displayName: z.string(), identifier: z.string() }),
  entries: z.array(ardEntrySchema),
});

export const ardErrorSchema = z.object({ errorCode: z.string(), message: z.string() });
