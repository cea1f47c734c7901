/** An object of JSON of which nothing is known: whoever reads a field has to look what it is. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An array is no object, and neither is null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Without the fields that are undefined: to a schema, `{a: undefined}` says something that `{}` does not. */
export function stated(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Without the fields that are null, which callers send for a field that is to be empty. */
export function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
