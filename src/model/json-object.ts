/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** False for arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Without undefined fields: a schema treats `{a: undefined}` and `{}` differently. */
export function stated(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Without null fields, which callers send for an absent value. */
export function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
