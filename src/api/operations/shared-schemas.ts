import { z } from 'zod';
import { STATUSES, VISIBILITIES } from '../../model/entity.ts';
import { timestamp } from '../../registry/answers.ts';
import { commaList, flag, jsonObject, metadataSchema } from './wire-fields.ts';

export const text = z.string().nullish();

/** Fields that the bodies of servers, skills and virtual servers share. */
export const bodyFields = {
  version: text,
  license: text,
  status: text,
  is_enabled: flag.nullish(),
  visibility: text,
  allowed_groups: commaList.nullish(),
  owner: text,
  metadata: jsonObject.nullish(),
};

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
