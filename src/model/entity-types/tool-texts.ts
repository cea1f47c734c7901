import type { ListedTool, NamedText } from './descriptor.ts';

/** Shorter keys and values cannot be a phrase. */
const MIN_CHARS = 8;

/** Every text in a JSON value, at any depth: values and keys. A key is a text of its own, such as the name of a parameter. */
export function textsIn(value: unknown, field: string, name: string): readonly NamedText[] {
  if (typeof value === 'string') return value.length < MIN_CHARS ? [] : [{ field, name, text: value }];
  if (value === null || typeof value !== 'object') return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) => {
    const at = `${field}.${key}`;
    const own = isList || key.length < MIN_CHARS ? [] : [{ field: at, name, text: key }];
    return [...own, ...textsIn(item, at, name)];
  });
}

export function toolTexts(field: string, tool: ListedTool): readonly NamedText[] {
  return Object.entries(tool).flatMap(([key, value]) => textsIn(value, `${field}.${key}`, tool.name));
}
