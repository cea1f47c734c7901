import type { Random } from '../random.ts';
import { anyValue, strangeText } from './strange-values.ts';

/** The part of JSON Schema that our documents use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly format?: string;
}

export type SchemaByRef = (ref: string) => JsonSchema;

const MAX_DEPTH = 8;
const MAX_LIST = 4;
/** Paths and words that the store has, so that requests get beyond "not found". */
export const KNOWN_PATHS = ['/fuzz-1', '/fuzz-2'];
const KNOWN_WORDS = [
  ...KNOWN_PATHS,
  ...KNOWN_PATHS,
  'tool',
  'mcp_server',
  'fuzz',
  'mail',
  '1.0.0',
  'anonymous',
  'import:fuzz',
];
const LOOPBACK_URL = 'http://127.0.0.1:9/mcp';

/** A value that the schema allows, mostly: texts may be strange, and fields that are not required come and go. */
export function instanceOf(schema: JsonSchema, random: Random, byRef: SchemaByRef, depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  const next = (inner: JsonSchema) => instanceOf(inner, random, byRef, depth + 1);
  if (schema.$ref !== undefined) return next(byRef(schema.$ref));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return next(random.pick(choices));
  const type = typeof schema.type === 'object' ? random.pick(schema.type) : schema.type;
  if (type === 'object') return objectOf(schema, random, next);
  if (type === 'array') return Array.from({ length: random.int(MAX_LIST) }, () => next(schema.items ?? {}));
  if (type === 'integer' || type === 'number') return numberOf(schema, random);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'null') return null;
  return type === 'string' ? textOf(schema, random) : anyValue(random);
}

function objectOf(schema: JsonSchema, random: Random, next: (inner: JsonSchema) => unknown): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties: more } = schema;
  const value: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(properties))
    if (required.includes(name) || random.chance(0.3)) value[name] = next(inner);
  if (typeof more === 'object') for (let n = 0; n < random.int(3); n++) value[strangeText(random)] = next(more);
  return value;
}

function numberOf({ minimum = -10, maximum = 1000 }: JsonSchema, random: Random): number {
  return minimum + random.int(Math.min(maximum - minimum, 1000) + 1);
}

function textOf({ format }: JsonSchema, random: Random): string {
  if (format === 'date-time') return new Date(random.int(2 ** 31) * 1000).toISOString();
  if (random.chance(0.1)) return LOOPBACK_URL;
  return random.chance(0.6) ? random.pick(KNOWN_WORDS) : strangeText(random);
}
