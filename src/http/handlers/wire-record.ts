import type { Entity, EntityType } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { type Projection, project } from '../../model/projection.ts';
import type { Fields, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { PutResult } from '../../registry/registry.ts';

export interface WireFields {
  readonly fields: Fields;
  readonly warnings: readonly string[];
}

/** Fields of answers that clients send back. They are ignored without a warning. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'overwrite',
  'created_at',
  'updated_at',
  'num_stars',
  'num_tools',
  'num_skills',
  'tool_count',
  'backend_count',
  'backend_paths',
  'display_name',
  'skill_name',
  'has_content',
  'warnings',
  'message',
]);

/**
 * Maps the fields of a body to those of the entity. `aliases` has more names of its fields; if several names of one field are
 * sent, the last alias wins. An unknown field becomes a warning.
 */
export function fromWire(
  body: Fields,
  type: EntityType,
  subject: string,
  aliases: Readonly<Record<string, string>> = {},
): WireFields {
  const { type: _type, ...own } = ENTITY_TYPE_TABLE[type].schema.shape;
  const names = { ...Object.fromEntries(Object.keys(own).map((name) => [name, name])), ...aliases };
  const fields: Record<string, unknown> = {};
  for (const [wire, name] of Object.entries(names)) if (body[wire] !== undefined) fields[name] = body[wire];
  const warnings = Object.keys(body)
    .filter((key) => !Object.hasOwn(names, key) && !READ_ONLY.has(key))
    .map((key) => `Unknown field '${key}' of ${subject} was ignored.`);
  return { fields, warnings };
}

export function commonFields(entity: Entity, record: RatedRecord, projection: Projection | null) {
  return {
    path: entity.path,
    description: entity.description,
    tags: entity.tags,
    is_enabled: entity.is_enabled,
    status: entity.status,
    visibility: entity.visibility,
    allowed_groups: entity.allowed_groups,
    owner: entity.owner ?? null,
    version: entity.version ?? null,
    license: entity.license ?? null,
    metadata: projection === null ? entity.metadata : project(entity.metadata, projection),
    num_stars: record.num_stars,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

export const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** The path of a registration, with a leading slash and without a trailing one. */
export function registeredPath(path: string): string {
  const bare = path.trim().replaceAll(/^\/+|\/+$/g, '');
  if (bare !== '') return `/${bare}`;
  throw new DowserError('INVALID_REQUEST', `'path' is ${showValue(path)}: must be a path such as /context7.`, {
    field: 'path',
  });
}

/** The answer of a list of tools. */
export function toolList<T>({ path, name }: Entity, tools: readonly T[]) {
  return { status: 200 as const, body: { path, server_name: name, num_tools: tools.length, tools } };
}

/** Says whether the entity is new, so that a caller notices a replaced one. */
export function registeredMessage(name: string, { path, created }: PutResult): string {
  return `${name} is ${created ? 'registered' : 'replaced'} at ${path}.`;
}
