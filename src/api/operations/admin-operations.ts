import { z } from 'zod';
import { SCOPES } from '../../model/caller/caller.ts';
import type { OperationDetails } from '../routes/operation.ts';

const time = z.string().meta({ format: 'date-time' });
const count = z.int().min(0);

const minuteSchema = z.object({
  at: time.describe('When the minute began.'),
  requests: count,
  failed: count.describe('Requests with a status of 500 or more.'),
  searches: count,
  search_p50_ms: z.number().nullable().describe('Null without a search.'),
  search_p95_ms: z.number().nullable(),
  questions: count.describe('Searches with words. What somebody types counts once.'),
  no_match: count.describe('Questions that nothing fits.'),
  low_confidence: count.describe('Questions whose best result has a confidence below 0.12.'),
  running: count.describe('The most requests that ran at once when it was looked.'),
  loop_delay_ms: z.number().describe('How late timers were: see the health report.'),
  memory_bytes: z.number().describe('Memory of the process.'),
  embedder: z.enum(['ready', 'loading', 'down', 'off']),
});

const activitySchema = z.object({
  minutes: z
    .array(minuteSchema)
    .describe('The last hour, oldest first. Minutes in which nothing was sampled are missing.'),
  unanswered: z
    .array(
      z.object({
        query: z.string(),
        outcome: z.enum(['no_match', 'low_confidence']),
        times: count,
        last_at: time,
      }),
    )
    .nullable()
    .describe('Questions of the last hour without a good answer. Null unless `log_query_text` is set.'),
});

const settingsSchema = z.object({
  settings: z.array(
    z.object({
      name: z.string(),
      value: z.unknown().describe('Null if it is not set, or if it is a secret.'),
      is_set: z.boolean().describe('Whether it has a value.'),
      secret: z.boolean(),
      origin: z.string().describe('Where the value came from: a flag, a variable, a file, or the default.'),
      meaning: z.string(),
    }),
  ),
});

/** Names are part of the names of owners and of records. */
const KEY_NAME = /^[\w.@-]{1,64}$/;
const NAME_WORDS = 'must be a name of letters, digits and .@_-, at most 64';
const MAX_GROUPS = 200;
const groups = z.array(z.string().min(1).max(200)).max(MAX_GROUPS, `must be at most ${MAX_GROUPS} names`);
const servers = z.array(z.string().min(1).max(512)).max(MAX_GROUPS, `must be at most ${MAX_GROUPS} paths`);

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  groups: z.array(z.string()),
  scopes: z.array(z.enum(SCOPES)),
  servers: z.array(z.string()).nullable().describe('The only servers whose tools it may call. Null: every server.'),
  created_at: time,
  expires_at: time.nullable(),
  revoked_at: time.nullable(),
});

export const adminOperations = {
  getActivity: {
    summary: 'Report the last hour of this server, by the minute',
    description:
      'Kept in memory, and lost when the server stops. It has no text of a query, unless `log_query_text` is set.',
    responses: { 200: activitySchema },
    errors: ['NOT_IMPLEMENTED'],
  },
  listSettings: {
    summary: 'List the settings of this server, and where each came from',
    responses: { 200: settingsSchema },
    errors: ['NOT_IMPLEMENTED'],
  },
  listKeys: {
    summary: 'List the API keys, newest first',
    description: 'Revoked ones too. No key itself: it is shown once, when it is created.',
    responses: { 200: z.object({ keys: z.array(keySchema) }) },
    errors: ['NOT_IMPLEMENTED'],
  },
  createKey: {
    summary: 'Create an API key',
    description: 'The answer is the only one that has the key.',
    body: z.strictObject({
      name: z
        .string(NAME_WORDS)
        .max(64, NAME_WORDS)
        .refine((name) => KEY_NAME.test(name), NAME_WORDS),
      groups: groups.default([]),
      scopes: z
        .array(z.enum(SCOPES, `must be some of ${SCOPES.join(', ')}`))
        .min(1, 'must have a scope')
        .default(['read']),
      servers: servers
        .nullable()
        .default(null)
        .describe('The only servers whose tools it may call. Null: every server.'),
      expires_in_days: z
        .int('must be a whole number of days')
        .min(1, 'must be at least 1 day')
        .max(3650, 'must be at most 3650 days')
        .nullable()
        .default(90)
        .describe('Null: never.'),
    }),
    responses: {
      201: keySchema.extend({ key: z.string().describe('The key. It is not stored, and not shown again.') }),
    },
    errors: ['ALREADY_EXISTS', 'FORBIDDEN', 'NOT_IMPLEMENTED'],
  },
  revokeKey: {
    summary: 'Revoke an API key',
    params: z.object({ id: z.string().min(1).max(64).describe('Its id or its name.') }),
    responses: { 200: keySchema },
    errors: ['NOT_FOUND', 'NOT_IMPLEMENTED'],
  },
} as const satisfies Record<string, OperationDetails>;
