import { z } from 'zod';
import { ENTITY_TYPES, type EntityType, parseEntityType } from '../entity.ts';

/** Fields that several queries share. */

/** An unknown type has its own error code on every surface. */
export const entityTypeSchema = z
  .unknown()
  .transform((value) => parseEntityType(value))
  .meta({ type: 'string', enum: [...ENTITY_TYPES] }) as unknown as z.ZodType<EntityType, EntityType>;

export function wholeNumber(min: number, max: number): z.ZodInt {
  const upTo = max === Number.MAX_SAFE_INTEGER ? 'up' : `to ${max}`;
  const message = `must be a whole number from ${min} ${upTo}`;
  return z.int(message).min(min, message).max(max, message);
}

export const textList = z.array(z.string(), 'must be a list of texts').readonly();
