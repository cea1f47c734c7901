import type { ListedTool, NamedText } from './descriptor.ts';

/** Shorter keys and values cannot be a phrase. */
const MIN_CHARS = 8;

/** So many texts of one value are enough to check: a huge one costs no more. */
export const MAX_TEXTS = 5000;

/** The texts in a JSON value, at any depth: values and keys. A key is a text of its own, such as the name of a parameter. */
export function textsIn(value: unknown, field: string, name: string): readonly NamedText[] {
  const texts: NamedText[] = [];
  collectTexts(value, field, name, texts);
  return texts;
}

const mayHaveText = (value: unknown): boolean =>
  typeof value === 'string' ? value.length >= MIN_CHARS : typeof value === 'object' && value !== null;

/** The path of a part is made only where there is a text: most parts of a large schema are short words and numbers. */
function collectTexts(value: unknown, field: string, name: string, texts: NamedText[]): void {
  if (texts.length >= MAX_TEXTS || !mayHaveText(value)) return;
  if (typeof value === 'string') {
    texts.push({ field, name, text: value });
  } else if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (mayHaveText(value[at])) collectTexts(value[at], `${field}.${at}`, name, texts);
    }
  } else {
    for (const [key, item] of Object.entries(value as object)) {
      if (key.length >= MIN_CHARS) collectTexts(key, `${field}.${key}`, name, texts);
      if (mayHaveText(item)) collectTexts(item, `${field}.${key}`, name, texts);
    }
  }
}

export function toolTexts(field: string, tool: ListedTool): readonly NamedText[] {
  return Object.entries(tool).flatMap(([key, value]) => textsIn(value, `${field}.${key}`, tool.name));
}
