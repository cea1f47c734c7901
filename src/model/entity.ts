import { z } from 'zod';
import { isEntityId } from './entity-id.ts';
import { ENTITY_TYPES, type EntityType, isEntityType } from './entity-type.ts';
import { ENTITY_TYPE_TABLE, type Entity, type EntityOf, type EntitySchema } from './entity-types/table.ts';
import { DowserError } from './errors.ts';
import { meantField } from './meant-name.ts';
import { parseWith, showValue } from './parse.ts';
import { promptLikeParts } from './prompt-like.ts';

export { type EntityId, entityId, idOf, splitEntityId } from './entity-id.ts';
export { ENTITY_TYPES, type EntityType, isEntityType } from './entity-type.ts';
export { pathSchema, STATUSES, type Status, VISIBILITIES, type Visibility } from './entity-types/shared-fields.ts';
export type { Entity, EntityOf } from './entity-types/table.ts';

export type McpServer = EntityOf<'mcp_server'>;
export type StandaloneTool = EntityOf<'tool'>;
export type VirtualServer = EntityOf<'virtual_server'>;
export type A2aAgent = EntityOf<'a2a_agent'>;
export type Skill = EntityOf<'skill'>;

/**
 * Where a page of entities begins: after the one with this id. Any other text comes somewhere among the ids too, and the
 * page after it would look right and be the wrong one.
 */
export const cursorSchema = z
  .string()
  .max(4096)
  .refine(isEntityId, 'must be the cursor of the page before, as it came');

export const entitySchema = z.discriminatedUnion(
  'type',
  ENTITY_TYPES.map((type) => ENTITY_TYPE_TABLE[type].schema) as unknown as [EntitySchema, ...EntitySchema[]],
);
export type EntityInput = z.input<typeof entitySchema>;

export function parseEntityType(value: unknown): EntityType {
  if (isEntityType(value)) return value;
  const message = value === undefined ? "'type' is missing." : `There is no entity type ${showValue(value)}.`;
  throw new DowserError('UNKNOWN_TYPE', message, {
    field: 'type',
    hint: `Use one of ${ENTITY_TYPES.join(', ')}.`,
  });
}

export interface ParsedEntity {
  readonly entity: Entity;
  /** What was accepted but not used, such as a field that no schema knows. */
  readonly warnings: readonly string[];
}

/** Deeper than any real document. */
const MAX_DEPTH = 100;

/** Whatever is stored must survive JSON: no endless nesting, no functions, no big integers. */
function checkJson(value: unknown, path: string, above: readonly unknown[]): void {
  if (value === null || typeof value !== 'object') {
    if (typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol') return;
    throw new DowserError('INVALID_REQUEST', `'${path}' of the entity is a ${typeof value}, which JSON cannot hold.`, {
      field: path,
    });
  }
  if (above.length > MAX_DEPTH || above.includes(value)) {
    const field = path.split('.').slice(0, 3).join('.');
    throw new DowserError(
      'INVALID_REQUEST',
      `'${field}' of the entity is nested more than ${MAX_DEPTH} levels deep or contains itself.`,
      {
        field,
      },
    );
  }
  const inside = [...above, value];
  for (const [key, item] of Object.entries(value)) {
    if (
      typeof item === 'object' ||
      typeof item === 'bigint' ||
      typeof item === 'function' ||
      typeof item === 'symbol'
    ) {
      checkJson(item, path === '' ? key : `${path}.${key}`, inside);
    }
  }
}

/** A body may have a million fields that do not exist: of the first few it is looked up what they may mean. */
const MAX_GUESSED = 20;

/** A sentence for each field that no entity of the type has. What is there already was not meant by another name. */
function unknownFields(input: object, type: EntityType): string[] {
  const fields = Object.keys(ENTITY_TYPE_TABLE[type].schema.shape);
  const known = new Set(fields);
  const unknown = Object.keys(input).filter((key) => !known.has(key));
  if (unknown.length === 0) return unknown;
  const open = fields.filter((field) => !Object.hasOwn(input, field));
  return unknown.map((key, at) => {
    const meant = at < MAX_GUESSED ? meantField(key, open) : undefined;
    const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
    return `Field '${key}' is not part of a ${type} and was ignored.${hint}`;
  });
}

/** Checks one entity from outside. Unknown fields are dropped with a warning: they are usually typing mistakes. */
export function parseEntity(input: unknown): ParsedEntity {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new DowserError('INVALID_REQUEST', `An entity must be a JSON object, not ${showValue(input)}.`);
  }
  const type = parseEntityType((input as { type?: unknown }).type);
  checkJson(input, '', []);
  const entity: Entity = parseWith(ENTITY_TYPE_TABLE[type].schema, input, `${type} entity`);
  const warnings = unknownFields(input, type);
  for (const { field, phrase } of promptLikeParts(entity)) {
    warnings.push(
      `'${field}' reads like an instruction to a model (${showValue(phrase)}); it is kept and shown as data.`,
    );
  }
  return { entity, warnings };
}
