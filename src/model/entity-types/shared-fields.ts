import { z } from 'zod';
import type { EntityType } from '../entity-type.ts';

export const STATUSES = ['active', 'beta', 'deprecated', 'draft'] as const;
export type Status = (typeof STATUSES)[number];

export const VISIBILITIES = ['public', 'private', 'group-restricted'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const text = (max: number) => z.string().max(max, `must have at most ${max} characters`);
export const nonEmpty = (max: number) => text(max).refine((s) => s.trim() !== '', 'must not be empty');
export const strings = (max: number) => z.array(text(512)).max(max).default([]);

/** Any JSON object: metadata, a JSON Schema, a card. */
export const jsonObject = z.record(z.string(), z.unknown());

/** Ids of other systems become paths, so nearly every character is legal; control characters and outer blanks are not. */
export const pathSchema = nonEmpty(512).refine(
  (s) => s.trim() === s && !/\p{Cc}/u.test(s),
  'must have no control characters and no blanks at its ends',
);

const statusSchema = z
  .string()
  .transform((s) => s.toLowerCase())
  .pipe(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`));

const visibilitySchema = z
  .string()
  .transform((s) => (s.toLowerCase() === 'group' ? 'group-restricted' : s.toLowerCase()))
  .pipe(z.enum(VISIBILITIES, `must be one of ${VISIBILITIES.join(', ')}`));

/** What an entity of any type has. */
export const sharedFields = {
  path: pathSchema,
  name: nonEmpty(1024),
  description: text(100_000).default(''),
  tags: strings(200),
  metadata: jsonObject.default({}),
  status: statusSchema.default('active'),
  is_enabled: z.boolean().default(true),
  visibility: visibilitySchema.default('public'),
  owner: text(256).optional(),
  allowed_groups: strings(50),
  version: text(128).optional(),
  license: text(128).optional(),
  homepage: text(2048).optional(),
  repository: text(2048).optional(),
};

/** An entity of any type, as far as all types are alike. */
export type AnyEntity = z.output<z.ZodObject<typeof sharedFields>> & { readonly type: EntityType };
