import type { ListedTool, NamedText } from './descriptor.ts';

/** The titles and descriptions of a JSON Schema, at any depth. A parameter named `description` is a schema, not a text. */
export function schemaTexts(schema: unknown, field: string, name: string): readonly NamedText[] {
  if (schema === null || typeof schema !== 'object') return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const at = `${field}.${key}`;
    if (typeof value !== 'string') return schemaTexts(value, at, name);
    return key === 'description' || key === 'title' ? [{ field: at, name, text: value }] : [];
  });
}

export function toolTexts(field: string, { name, description, inputSchema }: ListedTool): readonly NamedText[] {
  return [
    { field: `${field}.name`, name, text: name },
    { field: `${field}.description`, name, text: description },
    ...schemaTexts(inputSchema, `${field}.inputSchema`, name),
  ];
}
