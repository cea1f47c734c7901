import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';

/**
 * Arguments that fit a schema: those that were sent, with what is missing, and without what does not fit. Or else made from the
 * schema alone. Undefined if neither fits.
 */
export function exampleOf(
  schema: JsonObject,
  sent: JsonObject,
  fits: (candidate: JsonObject) => boolean,
): JsonObject | undefined {
  const make = maker(schema);
  const candidates = [() => make(sent), () => make(onlyDeclared(schema, sent)), () => make({})];
  for (const candidate of candidates) {
    const example = candidate();
    if (isJsonObject(example) && fits(example)) return example;
  }
  return undefined;
}

function onlyDeclared(schema: JsonObject, sent: JsonObject): JsonObject {
  const declared = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(declared, name)));
}

const MAX_DEPTH = 8;
/** Longer values of the caller are not repeated. */
const MAX_KEPT_CHARS = 200;

/** Makes a value for a schema, from a value that was sent where its type fits. */
function maker(root: JsonObject): (sent: unknown) => unknown {
  const resolve = (schema: unknown, depth: number): JsonObject => {
    if (!isJsonObject(schema)) return {};
    const { $ref } = schema;
    if (typeof $ref !== 'string' || depth > MAX_DEPTH) return schema;
    let at: unknown = root;
    for (const part of $ref.replace(/^#\/?/, '').split('/').filter(Boolean)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      at = isJsonObject(at) ? at[key] : undefined;
    }
    return resolve(at, depth + 1);
  };
  const value = (given: unknown, sent: unknown, depth: number): unknown => {
    const schema = merged(resolve(given, depth), (part) => resolve(part, depth));
    const { type, enum: options, properties, required, items, minItems, examples } = schema;
    if ('const' in schema) return schema.const;
    if (Array.isArray(options)) return options.includes(sent) ? sent : options[0];
    const [first] = Array.isArray(type) ? type : [type];
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (first === 'object' || (first === undefined && isJsonObject(properties))) {
      if (depth > MAX_DEPTH) return {};
      const declared = isJsonObject(properties) ? properties : {};
      const from = isJsonObject(sent) ? sent : {};
      const closed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
      const names = new Set([
        ...Object.keys(from).filter((name) => Object.hasOwn(declared, name) || !closed),
        ...(Array.isArray(required) ? required.map(String) : []),
      ]);
      const fields = Array.from(names, (name) => {
        const inner = Object.hasOwn(declared, name) ? declared[name] : {};
        return [name, value(inner, from[name], depth + 1)] as const;
      });
      return Object.fromEntries(fields.filter(([, made]) => made !== undefined));
    }
    if (isOfType(sent, types) && isShort(sent) && isInRange(sent, schema)) {
      if (!Array.isArray(sent)) return sent;
      return sent.map((item) => value(items, item, depth + 1));
    }
    if ('default' in schema && schema.default !== null) return schema.default;
    if (Array.isArray(examples) && examples.length > 0) return examples[0];
    switch (first) {
      case 'string':
        return textFor(schema);
      case 'number':
      case 'integer':
        return numberFor(schema, sent);
      case 'boolean':
        return typeof sent === 'string' ? sent.toLowerCase() === 'true' : false;
      case 'array':
        return Array.from({ length: typeof minItems === 'number' ? Math.min(minItems, 20) : 0 }, () =>
          value(items, undefined, depth + 1),
        );
      case 'null':
        return null;
      default:
        return 'text';
    }
  };
  return (sent) => value(root, sent, 0);
}

/** With the parts of `allOf`, and the first alternative of `anyOf` or `oneOf`. */
function merged(schema: JsonObject, resolve: (part: unknown) => JsonObject): JsonObject {
  const all = Array.isArray(schema.allOf) ? schema.allOf : [];
  const either = [schema.anyOf, schema.oneOf].flatMap((parts) => (Array.isArray(parts) ? parts.slice(0, 1) : []));
  let whole = schema;
  for (const part of [...all, ...either].map(resolve)) {
    const properties = { ...(whole.properties as JsonObject), ...(part.properties as JsonObject) };
    const required = [whole.required, part.required].flatMap((names) => (Array.isArray(names) ? names : []));
    whole = {
      ...part,
      ...whole,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
    };
  }
  return whole;
}

function isOfType(sent: unknown, types: readonly unknown[]): boolean {
  if (sent === undefined) return false;
  if (types.includes(undefined)) return true;
  const type = sent === null ? 'null' : Array.isArray(sent) ? 'array' : typeof sent;
  return types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(sent));
}

const isShort = (sent: unknown) => typeof sent !== 'string' || sent.length <= MAX_KEPT_CHARS;

function isInRange(sent: unknown, schema: JsonObject): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern } = schema;
  if (typeof sent === 'number') {
    if (typeof minimum === 'number' && sent < minimum) return false;
    if (typeof maximum === 'number' && sent > maximum) return false;
    if (typeof exclusiveMinimum === 'number' && sent <= exclusiveMinimum) return false;
    if (typeof exclusiveMaximum === 'number' && sent >= exclusiveMaximum) return false;
    return typeof multipleOf !== 'number' || Number.isInteger(sent / multipleOf);
  }
  if (typeof sent !== 'string') return true;
  if (typeof minLength === 'number' && sent.length < minLength) return false;
  // A pattern is not run here: it may take for ever.
  return (typeof maxLength !== 'number' || sent.length <= maxLength) && typeof pattern !== 'string';
}

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'name@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textFor({ format, minLength, maxLength }: JsonObject): string {
  const plain = (typeof format === 'string' && FORMATS[format]) || 'text';
  const padded = typeof minLength === 'number' ? plain.padEnd(Math.min(minLength, 1000), 'x') : plain;
  return typeof maxLength === 'number' ? padded.slice(0, maxLength) : padded;
}

function numberFor(schema: JsonObject, sent: unknown): number {
  const asNumber = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : Number.NaN;
  if (Number.isFinite(asNumber) && (schema.type !== 'integer' || Number.isInteger(asNumber))) {
    if (isInRange(asNumber, schema)) return asNumber;
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  if (typeof minimum === 'number') return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMinimum === 'number') return (Math.floor(exclusiveMinimum / step) + 1) * step;
  if (typeof maximum === 'number') return Math.floor(maximum / step) * step;
  if (typeof exclusiveMaximum === 'number') return (Math.ceil(exclusiveMaximum / step) - 1) * step;
  return step;
}
