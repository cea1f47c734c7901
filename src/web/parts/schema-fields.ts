import { isObject, type JsonObject } from '../data/json.ts';

export interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The schemas of others have any shape: what is not understood has no fields. */
export function fieldsOf(schema: unknown): readonly Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, field]) => ({
    name,
    schema: isObject(field) ? field : {},
    isRequired: required.has(name),
  }));
}
