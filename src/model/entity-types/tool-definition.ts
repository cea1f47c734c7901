import { z } from 'zod';
import { jsonObject, text } from './fields.ts';

/** The fields of an MCP tool definition besides its name, description and input schema. They are kept and served as they came. */
const fields = {
  /** The name for people. */
  title: text(1024),
  outputSchema: jsonObject,
  /** Hints such as `readOnlyHint` and `destructiveHint`. */
  annotations: jsonObject,
  /** How it may be called, such as `taskSupport`. */
  execution: jsonObject,
  icons: z.array(jsonObject).max(20),
  _meta: jsonObject,
};
type FieldName = keyof typeof fields;
export type ToolDefinition = { readonly [K in FieldName]?: z.output<(typeof fields)[K]> | undefined };

const NAMES = Object.keys(fields) as FieldName[];

/** For a schema. Null means that there is none. */
export const definitionFields = {
  title: fields.title.nullish(),
  outputSchema: fields.outputSchema.nullish(),
  annotations: fields.annotations.nullish(),
  execution: fields.execution.nullish(),
  icons: fields.icons.nullish(),
  _meta: fields._meta.nullish(),
};

/** The same for an entity, where null is an error. */
export const optionalDefinition = {
  title: fields.title.optional(),
  outputSchema: fields.outputSchema.optional(),
  annotations: fields.annotations.optional(),
  execution: fields.execution.optional(),
  icons: fields.icons.optional(),
  _meta: fields._meta.optional(),
};

/** Those fields of a tool that have a value. */
export function definitionOf(tool: { readonly [K in FieldName]?: unknown }): ToolDefinition {
  const definition: Record<string, unknown> = {};
  for (const name of NAMES) if (tool[name] != null && tool[name] !== '') definition[name] = tool[name];
  return definition;
}
