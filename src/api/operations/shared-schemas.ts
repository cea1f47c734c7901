import { z } from 'zod';
import { commaList, flag, jsonObject } from './wire-fields.ts';

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

export const registeredMessage = z.string().describe('Whether the entity is new or replaced another.');
export const messageFields = { path: z.string(), name: z.string(), message: registeredMessage };

export const toggleBody = z.object({ enabled: flag });
