import { z } from 'zod';
import { ENTITY_TYPES, pathSchema } from '../../model/entity.ts';
import { timestamp } from '../answers.ts';

/** Most of one observation; a larger source is reported in parts. */
const MAX_OBSERVED = 1000;

const entityKey = z.object({ type: z.enum(ENTITY_TYPES), path: pathSchema });
const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);

const sourceKeySchema = z.object({
  kind: text(64)
    .min(1, 'must not be empty')
    .describe('`mcp`, `config`, `a2a`, `skill`, `server`, `registry`, `ard` or `example`.'),
  locator: z
    .record(z.string(), z.unknown())
    .refine((value) => JSON.stringify(value).length <= 32_768, 'must have at most 32768 characters')
    .describe('Where it is, without secrets: enough to read it again.'),
});
export type SourceKey = z.output<typeof sourceKeySchema>;

/** What a reading of a source found. */
export const observationSchema = z.object({
  source: sourceKeySchema,
  live: z
    .boolean()
    .default(false)
    .describe('Whether the things themselves answered, so that they are known to be alive.'),
  take_over: z
    .boolean()
    .default(false)
    .describe('Also replace entities that came from elsewhere; without it they are left as they are.'),
  dry_run: z.boolean().default(false).describe('Say what would happen, and store nothing.'),
  entities: z
    .array(
      z.object({
        part: text(1024).default('').describe('Which part of the source it is, the same at every reading.'),
        entity: z.record(z.string(), z.unknown()),
        updated_at: text(64).optional().describe('When the source says it changed.'),
      }),
    )
    .max(MAX_OBSERVED)
    .default([]),
  reading: z
    .object({
      started_at: z.iso.datetime('must be a date and time such as 2026-01-31T12:00:00Z').describe('When it began.'),
      full: z.boolean().default(true).describe('Whether everything was read, and not only what changed.'),
    })
    .optional()
    .describe('Sent once a source was read to its end, so that the next reading may ask only for what changed since.'),
  missing: z
    .array(entityKey.extend({ error: text(4000) }))
    .max(MAX_OBSERVED)
    .default([])
    .describe('What did not answer or is no longer there: it is marked as dead.'),
  withdrawn: z
    .array(entityKey)
    .max(MAX_OBSERVED)
    .default([])
    .describe('What the source has taken back: it is deleted.'),
});
export type Observation = z.output<typeof observationSchema>;
export type ObservationInput = z.input<typeof observationSchema>;

/** How definitions differ from those that were last accepted. */
const driftSchema = z.object({
  since: timestamp,
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(
    z.object({
      name: z.string(),
      digest: z
        .object({ before: z.string(), after: z.string() })
        .describe('SHA-256 of the canonical JSON of the definition, as `sha256:` and hex.'),
      changes: z
        .array(z.object({ at: z.string(), before: z.string(), after: z.string() }))
        .describe('The first places that are not as they were: a dot path and what is there, shortened.'),
    }),
  ),
});
export type Drift = z.output<typeof driftSchema>;
export type Change = Drift['changed'][number]['changes'][number];

const livenessSchema = z.object({
  state: z.enum(['alive', 'dead']),
  checked_at: timestamp,
  since: timestamp.describe('Since when it is in this state, as far as anyone looked.'),
  error: z.string().exactOptional(),
});
export type Liveness = z.output<typeof livenessSchema>;

export const observedSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES).nullable(),
  path: z.string(),
  part: z.string(),
  state: z
    .enum(['added', 'updated', 'unchanged', 'dead', 'deleted', 'kept', 'refused'])
    .describe('`kept`: it came from elsewhere and was left as it is. `refused`: it is not a valid entity.'),
  definitions: z.int().min(0).describe('How many tools, skills or texts it was compared by.'),
  drift: driftSchema.nullable().describe('Only when it is not what it was at the reading before.'),
  notes: z.array(z.string()),
});
export type Observed = z.output<typeof observedSchema>;

/** The last complete reading of a source, by the clock of whoever read it. */
const readingSchema = z.object({
  started_at: timestamp,
  full_at: timestamp.describe('When the last reading of everything began.'),
  partial: z.int().min(0).describe('How many complete readings of only what changed came since.'),
});
export type Reading = z.output<typeof readingSchema>;

export const knownSourceSchema = sourceKeySchema.extend({
  updated_at: z.string().nullable().describe('The latest change that the source told of.'),
  reading: readingSchema.nullable().describe('Its last complete reading, as far as that is known.'),
  entities: z.array(
    z.object({
      entity_type: z.enum(ENTITY_TYPES),
      path: z.string(),
      part: z.string(),
      liveness: livenessSchema.nullable(),
      drift: z.boolean(),
    }),
  ),
});
export type KnownSource = z.output<typeof knownSourceSchema>;

export const driftedEntitySchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  drift: driftSchema,
});
export type DriftedEntity = z.output<typeof driftedEntitySchema>;
