import { z } from 'zod';
import { STATUSES, VISIBILITIES } from '../../model/entity.ts';
import { timestamp } from '../../registry/answers.ts';
import { flag, metadataSchema } from './wire-fields.ts';

/** Schemas that servers, agents, skills and virtual servers share. */
export const recordFields = {
  path: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  is_enabled: z.boolean(),
  status: z.enum(STATUSES),
  visibility: z.enum(VISIBILITIES),
  allowed_groups: z.array(z.string()),
  owner: z.string().nullable(),
  version: z.string().nullable(),
  license: z.string().nullable(),
  metadata: metadataSchema,
  num_stars: z.number().describe('The mean rating. 0 without ratings.'),
  created_at: timestamp,
  updated_at: timestamp,
};

export const registeredMessage = z.string().describe('Whether the entity is new or replaced another.');
export const messageFields = { path: z.string(), name: z.string(), message: registeredMessage };

export const toggleBody = z.object({ enabled: flag });
export const toggleResultSchema = z.object({ message: z.string(), path: z.string(), is_enabled: z.boolean() });

export const voteResultSchema = z.object({ message: z.string(), average_rating: z.number() });

export const duplicateCheckSchema = z.object({
  name: z.string().max(200, 'must have at most 200 characters'),
  description: z.string().max(10_000, 'must have at most 10000 characters').nullish(),
  url: z.string().max(2048, 'must have at most 2048 characters').nullish(),
  path: z.string().max(512, 'must have at most 512 characters').nullish(),
  self_path: z
    .string()
    .max(512, 'must have at most 512 characters')
    .nullish()
    .describe('The path of the entity itself, to exclude it.'),
});
