import { z } from 'zod';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { EDGE_TYPES } from '../../model/entity-parts/edge.ts';
import { facetFilterSchema } from '../../model/entity-parts/facets.ts';
import { VERDICT_SOURCES, VERDICTS } from '../../recommend/compatibility.ts';
import { optionSchema } from './recommend-schemas.ts';

const name = z.string().min(1, 'must not be empty').max(1100).describe('A path, or an id such as `package:/redis`.');
const need = z
  .string()
  .max(500)
  .refine((text) => text.trim() !== '', 'must not be empty');
const MAX_NEEDS = 8;
const MAX_EXISTING = 20;

export const stackRequestSchema = z.strictObject({
  use_case: need.describe('What to build or do.'),
  sub_needs: z
    .array(
      z.union([
        need,
        z
          .strictObject({ sub_need_type: z.string().max(128), keyword_sentence: need })
          .transform(({ keyword_sentence }) => keyword_sentence),
      ]),
    )
    .min(1)
    .max(MAX_NEEDS, `must have at most ${MAX_NEEDS} needs`)
    .readonly()
    .optional()
    .describe('The needs, one for each layer. Default: found in the use case.'),
  constraints: facetFilterSchema.optional(),
  existing_tools: z
    .array(name)
    .max(MAX_EXISTING, `must name at most ${MAX_EXISTING}`)
    .readonly()
    .optional()
    .describe('What is used already: choices must go together with it.'),
  limit: z.int().min(1).max(10, 'must be from 1 to 10').optional().describe('The most needs to choose for.'),
});
/** A goal that needs several tools. */
export type StackRequest = Readonly<z.input<typeof stackRequestSchema>>;

const compatibilitySchema = z.object({
  a: z.string(),
  b: z.string(),
  verdict: z.enum(VERDICTS),
  source: z.enum(VERDICT_SOURCES),
  why: z.array(z.string()).readonly(),
  versions: z.record(z.string(), z.string()).describe('By path: the version of a package that fits.'),
  partial: z.boolean().describe('Only an older version fits.'),
});
/** Whether two entities work together, and why. */
export type CompatibilityReport = z.output<typeof compatibilitySchema>;
export { compatibilitySchema };

export const stackSchema = z.object({
  use_case: z.string(),
  layers: z.array(
    z.object({
      need: z.string(),
      choice: optionSchema.nullable().describe('Null where nothing matches.'),
      alternatives: z.array(z.string()),
      relaxed: z.array(z.string()),
    }),
  ),
  compatibility: z.array(compatibilitySchema).describe('Each pair of choices, and of what is used already.'),
  stack_compatibility: z
    .enum(['compatible', 'partial', 'conflicts', 'unknown'])
    .describe('The worst of the pairs: `partial` if only an older version fits, `unknown` if nothing is known of any.'),
  warnings: z.array(z.string()),
});
/** A set of tools for a goal. */
export type Stack = z.output<typeof stackSchema>;

const version = z.string().min(1).max(128).optional().describe('Of a package. Default: its newest one.');
export const pairRequestSchema = z.strictObject({ a: name, b: name, version_a: version, version_b: version });
/** Two entities that should work together. */
export type PairRequest = Readonly<z.input<typeof pairRequestSchema>>;

export const compareRequestSchema = z.strictObject({
  entities: z.array(name).min(2, 'must name at least two').max(5, 'must name at most five').readonly(),
});
/** Two to five entities to compare. */
export type CompareRequest = Readonly<z.input<typeof compareRequestSchema>>;

export const comparisonSchema = z.object({
  entities: z.array(
    z.object({
      entity_type: z.enum(ENTITY_TYPES),
      path: z.string(),
      name: z.string(),
      description: z.string(),
      status: z.string(),
      stability: z.string(),
      facets: z.record(z.string(), z.array(z.string())),
      health: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  ),
  relations: z.array(
    z.object({ relation: z.enum(EDGE_TYPES), source: z.string(), target: z.string(), why: z.string() }),
  ),
  compatibility: z.array(compatibilitySchema),
  warnings: z.array(z.string()),
});
/** Entities side by side. */
export type Comparison = z.output<typeof comparisonSchema>;
