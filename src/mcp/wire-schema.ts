import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

/**
 * Every client pays for these schemas with each list of tools, so they say what it needs in as few characters as can be.
 * Neither has what a reader of JSON Schema 2020-12, the protocol's own dialect, takes for granted, nor lengths that no
 * sensible text comes near: the server checks all of it, and answers with a sentence.
 */
const LEFT_OUT = ['$schema', 'additionalProperties', 'propertyNames', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** How to ask. */
export function inputSchemaOnWire(schema: z.ZodObject): Json {
  return without(z.toJSONSchema(schema, { io: 'input' }), new Set(LEFT_OUT));
}

/**
 * What comes back: each field with its type and meaning, and what is in its parts in words. Whatever the whole schema
 * takes, this one takes.
 */
export function outputSchemaOnWire(schema: z.ZodObject): Json {
  const leftOut = new Set([...LEFT_OUT, 'enum', 'minimum', 'maximum']);
  const { type, properties } = without(z.toJSONSchema(schema, { io: 'output' }), leftOut);
  const told = new Set<string>();
  const fields = Object.entries(properties as Json).map(([name, field]) => [name, inWords(field as Json, told)]);
  return { type, properties: Object.fromEntries(fields) };
}

/** A schema without some of its keywords. The names of properties are not keywords, whatever they are. */
function without(schema: unknown, leftOut: ReadonlySet<string>): Json {
  const kept = Object.entries(schema as Json).filter(([keyword]) => !leftOut.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === 'items') return [keyword, without(value, leftOut)];
      if (keyword !== 'properties') return [keyword, value];
      return [keyword, mapValues(value as Json, (part) => without(part, leftOut))];
    }),
  );
}

/** A field whose objects are told in a sentence: `name, path, url?`. The same object is told once. */
function inWords(field: Json, told: Set<string>): Json {
  const { items, properties, required, ...rest } = field;
  if (items !== undefined) return { ...rest, items: inWords(items as Json, told) };
  if (properties === undefined) return field;
  const words = Object.entries(properties as Readonly<Record<string, Json>>)
    .map(([name, { description }]) => {
      const optional = (required as readonly string[] | undefined)?.includes(name) === true ? '' : '?';
      return `${name}${optional}${typeof description === 'string' ? ` (${description})` : ''}`;
    })
    .join(', ');
  const description = told.has(words) ? 'As above.' : words;
  told.add(words);
  return {
    ...rest,
    description: typeof rest.description === 'string' ? `${rest.description} ${description}` : description,
  };
}

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
