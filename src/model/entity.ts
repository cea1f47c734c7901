import { z } from 'zod';
import { isEntityId } from './entity-parts/entity-id.ts';
import { ENTITY_TYPES, type EntityType, isEntityType } from './entity-parts/names.ts';
import { ENTITY_TYPE_TABLE, type Entity, type EntityOf, type EntitySchema } from './entity-types/table.ts';
import { DowserError } from './errors/errors.ts';
import { checkJson } from './parse/check-json.ts';
import { parseWith, showValue } from './parse/parse.ts';
import { promptLikeParts } from './prompt-scan/prompt-like.ts';
import { meantField, meantName } from './text/meant-name.ts';

export { type EntityId, entityId, idOf, splitEntityId } from './entity-parts/entity-id.ts';
export {
  ENTITY_TYPES,
  type EntityType,
  isEntityType,
  STATUSES,
  type Status,
  VISIBILITIES,
  type Visibility,
} from './entity-parts/names.ts';
export { pathSchema } from './entity-types/fields.ts';
export type { Entity, EntityOf } from './entity-types/table.ts';

export type McpServer = EntityOf<'mcp_server'>;
export type StandaloneTool = EntityOf<'tool'>;
export type VirtualServer = EntityOf<'virtual_server'>;
export type A2aAgent = EntityOf<'a2a_agent'>;
export type Skill = EntityOf<'skill'>;

/**
 * The cursor of a page begins with the id of an entity of the previous page. Any other text is refused, because it would silently
 * give a wrong page.
 */
export const cursorSchema = z
  .string()
  .max(4096)
  .refine(isEntityId, 'must be the cursor of the previous page, unchanged');

export const entitySchema = z.discriminatedUnion(
  'type',
  ENTITY_TYPES.map((type) => ENTITY_TYPE_TABLE[type].schema) as unknown as [EntitySchema, ...EntitySchema[]],
);
/** An entity as callers give it. Most fields may be absent. */
export type EntityInput = z.input<typeof entitySchema>;

export function parseEntityType(value: unknown): EntityType {
  if (isEntityType(value)) return value;
  const message = value === undefined ? "'type' is missing." : `Unknown entity type ${showValue(value)}.`;
  const meant = typeof value === 'string' ? meantName(value, ENTITY_TYPES) : undefined;
  throw new DowserError('UNKNOWN_TYPE', message, {
    field: 'type',
    hint: `${meant === undefined ? '' : `Did you mean '${meant}'? `}Use one of ${ENTITY_TYPES.join(', ')}.`,
    details: { allowed: ENTITY_TYPES },
  });
}

/** A parsed entity. `put` and `putMany` of a registry take it without parsing it again. As JSON, it is the input. */
export class ParsedEntity {
  readonly entity: Entity;
  /** What was accepted but not used, such as an unknown field. */
  readonly warnings: readonly string[];
  /** The input, without defaults. */
  readonly input: object;

  constructor(entity: Entity, warnings: readonly string[], input: object) {
    this.entity = entity;
    this.warnings = warnings;
    this.input = input;
  }

  toJSON(): object {
    return this.input;
  }
}

/** More are counted, not named. */
const MAX_NAMED = 20;
const MAX_NAME_CHARS = 60;

/** A warning for each of the first unknown fields. A field that is already set cannot be the one that was meant. */
function unknownFields(input: object, type: EntityType): string[] {
  const fields = Object.keys(ENTITY_TYPE_TABLE[type].schema.shape);
  const known = new Set(fields);
  const unknown = Object.keys(input).filter((key) => !known.has(key));
  if (unknown.length === 0) return unknown;
  const open = fields.filter((field) => !Object.hasOwn(input, field));
  const warnings = unknown.slice(0, MAX_NAMED).map((key) => {
    const meant = meantField(key, open);
    const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
    const shown = key.length > MAX_NAME_CHARS ? `${key.slice(0, MAX_NAME_CHARS)}...` : key;
    return `Unknown field '${shown}' of ${type} was ignored.${hint}`;
  });
  const others = unknown.length - MAX_NAMED;
  return others > 0 ? [...warnings, `Other unknown fields of ${type} that were ignored: ${others}.`] : warnings;
}

/** Parses one entity. Unknown fields are dropped with a warning: they are usually typing mistakes. */
export function parseEntity(input: unknown): ParsedEntity {
  if (input instanceof ParsedEntity) return input;
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new DowserError('INVALID_REQUEST', `An entity must be a JSON object, not ${showValue(input)}.`);
  }
  const type = parseEntityType((input as { type?: unknown }).type);
  checkJson(input);
  const entity: Entity = parseWith(ENTITY_TYPE_TABLE[type].schema, input, `${type} entity`);
  const warnings = unknownFields(input, type);
  for (const { field, phrase } of promptLikeParts(entity)) {
    warnings.push(`'${field}' looks like prompt injection (${showValue(phrase)}). It is stored and shown as data.`);
  }
  return new ParsedEntity(entity, warnings, input);
}
