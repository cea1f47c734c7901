import { z } from 'zod';
import type { McpTool } from '../catalog/mcp-tool.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The keywords to leave out. A client pays for these schemas with each list of tools, so they must be short. They have
 * neither the defaults of JSON Schema 2020-12, the dialect of the protocol, nor length limits that no normal text reaches.
 * The server checks them anyway, with a clear error.
 */
const LEFT_OUT = ['$schema', 'additionalProperties', 'propertyNames', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** A server is made for each request, and to write a schema takes as long as the rest of it. */
function writtenOnce(write: (schema: z.ZodObject) => Json): (schema: z.ZodObject) => Json {
  const written = new WeakMap<z.ZodObject, Json>();
  return (schema) => {
    const known = written.get(schema) ?? write(schema);
    written.set(schema, known);
    return known;
  };
}

const inputSchemaOf = writtenOnce((schema) => without(z.toJSONSchema(schema, { io: 'input' }), new Set(LEFT_OUT)));

/** The schema of the arguments, without some that are optional. */
export function inputSchemaOnWire(schema: z.ZodObject, hidden: readonly string[] = []): Json {
  const { properties, ...rest } = inputSchemaOf(schema);
  const shown = Object.entries(properties as Json).filter(([name]) => !hidden.includes(name));
  return { ...rest, properties: Object.fromEntries(shown) };
}

/**
 * The schema of the answer: each field with its type and description, and its inner fields in words. It accepts whatever the
 * complete schema accepts.
 */
export const outputSchemaOnWire = writtenOnce((schema) => {
  const leftOut = new Set([...LEFT_OUT, 'enum', 'minimum', 'maximum']);
  const { type, properties } = without(z.toJSONSchema(schema, { io: 'output' }), leftOut);
  const seen = new Set<string>();
  const fields = Object.entries(properties as Json).map(([name, field]) => [name, inWords(field as Json, seen)]);
  return { type, properties: Object.fromEntries(fields) };
});

/** The schema of the answer as the list of tools has it. */
export function listedOutput({ output, briefOutput }: Pick<McpTool, 'output' | 'briefOutput'>): Json {
  return briefOutput === true ? { type: 'object' } : outputSchemaOnWire(output);
}

/** A schema without some keywords. A property with the name of a keyword stays. */
function without(schema: unknown, leftOut: ReadonlySet<string>): Json {
  const kept = Object.entries(schema as Json).filter(([keyword]) => !leftOut.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items') return [keyword, without(value, leftOut)];
      if (keyword === 'anyOf') return [keyword, (value as readonly unknown[]).map((part) => without(part, leftOut))];
      if (keyword !== 'properties') return [keyword, value];
      return [keyword, mapValues(value as Json, (part) => without(part, leftOut))];
    }),
  );
}

/** A field whose objects are described in words: `name, path, url?`. The same object is described once. */
function inWords(field: Json, seen: Set<string>): Json {
  const { items, properties, required, ...rest } = field;
  if (items !== undefined) return { ...rest, items: inWords(items as Json, seen) };
  if (properties === undefined) return field;
  const words = Object.entries(properties as Readonly<Record<string, Json>>)
    .map(([name, { description }]) => {
      const optional = (required as readonly string[] | undefined)?.includes(name) === true ? '' : '?';
      return `${name}${optional}${typeof description === 'string' ? ` (${description})` : ''}`;
    })
    .join(', ');
  const description = seen.has(words) ? 'As above.' : words;
  seen.add(words);
  return {
    ...rest,
    description: typeof rest.description === 'string' ? `${rest.description} ${description}` : description,
  };
}

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
