/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** False for arrays and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Without undefined fields: a schema treats `{a: undefined}` and `{}` differently. */
export function stated<T extends object>(fields: T): Stated<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Stated<T>;
}
type Stated<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without null fields, which callers send for an absent value. */
export function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
