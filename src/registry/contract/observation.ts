import { z } from 'zod';
import { ENTITY_TYPES, pathSchema } from '../../model/entity.ts';
import { timestamp } from './answers.ts';
import { MAX_VERSIONS } from './kept-versions.ts';

/** The most entities of one observation. A larger source is reported in parts. */
const MAX_OBSERVED = 1000;

const entityKey = z.object({ type: z.enum(ENTITY_TYPES), path: pathSchema });
const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);

const sourceKeySchema = z.object({
  kind: text(64)
    .min(1, 'must not be empty')
    .describe('`mcp`, `config`, `a2a`, `skill`, `server`, `registry`, `ard`, `mongodb` or `example`.'),
  locator: z
    .record(z.string(), z.unknown())
    .refine((value) => JSON.stringify(value).length <= 32_768, 'must have at most 32768 characters')
    .describe('Where it is, without secrets: enough to read it again.'),
});
/** What a source is known by: its kind and its place. */
export type SourceKey = z.output<typeof sourceKeySchema>;

/** The result of reading a source. */
export const observationSchema = z.object({
  source: sourceKeySchema,
  live: z.boolean().default(false).describe('Whether the servers or agents themselves answered: they are alive.'),
  take_over: z.boolean().default(false).describe('Also replace entities of other sources. By default they are kept.'),
  dry_run: z.boolean().default(false).describe('Report what would happen, and store nothing.'),
  entities: z
    .array(
      z.object({
        part: text(1024).default('').describe('The part of the source, the same at every reading.'),
        entity: z.record(z.string(), z.unknown()),
        updated_at: text(64).optional().describe('The time of the last change, according to the source.'),
        versions: z
          .array(z.record(z.string(), z.unknown()))
          .max(MAX_VERSIONS)
          .optional()
          .describe('The other versions of a server, all of them. Without the field, they stay as they are.'),
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
    .describe('Sent when the source was read to its end. The next reading may then ask only for changes.'),
  missing: z
    .array(entityKey.extend({ error: text(4000) }))
    .max(MAX_OBSERVED)
    .default([])
    .describe('Entities that did not answer or are gone. They are marked as dead.'),
  withdrawn: z
    .array(entityKey)
    .max(MAX_OBSERVED)
    .default([])
    .describe('Entities that the source has withdrawn. They are deleted.'),
});
/** The result of reading a source, checked and complete. */
export type Observation = z.output<typeof observationSchema>;
/** The result of reading a source: entities, and which of the known ones are gone. See `Registry.observe`. */
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
        .describe('The first changes: a dot path with the shortened values.'),
    }),
  ),
});
/** How the definitions of an entity differ from those that were last accepted. */
export type Drift = z.output<typeof driftSchema>;
export type Change = Drift['changed'][number]['changes'][number];

const livenessSchema = z.object({
  state: z.enum(['alive', 'dead']),
  checked_at: timestamp,
  since: timestamp.describe('The first check that found this state.'),
  error: z.string().exactOptional(),
});
/** Whether a server or an agent answered when it was last asked. */
export type Liveness = z.output<typeof livenessSchema>;

export const observedSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES).nullable(),
  path: z.string(),
  part: z.string(),
  state: z
    .enum(['added', 'updated', 'unchanged', 'dead', 'deleted', 'kept', 'refused'])
    .describe('`kept`: it is from another source and was not changed. `refused`: it is not a valid entity.'),
  definitions: z.int().min(0).describe('How many tools, skills or texts were compared.'),
  drift: driftSchema.nullable().describe('Null if nothing changed since the last reading.'),
  notes: z.array(z.string()),
  code: z.string().exactOptional().describe('Of `refused`: the error code. The message is the first note.'),
});
/** What became of an entity of a source. */
export type Observed = z.output<typeof observedSchema>;

/** The last complete reading of a source, by the clock of the reader. */
const readingSchema = z.object({
  started_at: timestamp,
  full_at: timestamp.describe('When the last reading of everything began.'),
  partial: z.int().min(0).describe('How many readings of changes only were completed since.'),
});
export type Reading = z.output<typeof readingSchema>;

export const knownSourceSchema = sourceKeySchema.extend({
  updated_at: z.string().nullable().describe('The latest change, according to the source.'),
  reading: readingSchema.nullable().describe('Its last complete reading. Null if unknown.'),
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
/** A source that was read before, with its entities. */
export type KnownSource = z.output<typeof knownSourceSchema>;

export const driftedEntitySchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  drift: driftSchema,
});
/** An entity whose definitions changed. */
export type DriftedEntity = z.output<typeof driftedEntitySchema>;
