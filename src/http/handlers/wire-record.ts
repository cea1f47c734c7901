import type { Entity, EntityType } from '../../model/entity.ts';
import { ENTITY_TYPE_TABLE } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { trimChars } from '../../model/text/trim-chars.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import type { PutResult } from '../../registry/contract/registry.ts';
import { READ_ONLY_FIELDS, withoutPlaceholders } from '../../standards/gateway/asset-record.ts';

export interface WireFields {
  readonly fields: Fields;
  readonly warnings: readonly string[];
}

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
  const sent = withoutPlaceholders(body);
  const fields: Record<string, unknown> = {};
  for (const [wire, name] of Object.entries(names)) if (sent[wire] !== undefined) fields[name] = sent[wire];
  const warnings = Object.keys(body)
    .filter((key) => !Object.hasOwn(names, key) && !READ_ONLY_FIELDS.has(key))
    .map((key) => `Unknown field '${key}' of ${subject} was ignored.`);
  return { fields, warnings };
}

export const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** The path of a registration, with a leading slash and without a trailing one. */
export function registeredPath(path: string): string {
  const bare = trimChars(path.trim(), '/');
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
