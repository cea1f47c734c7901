import type { MetadataValue } from '../../contract/document-reader.ts';

const MAX_FIELDS = 50;
const MAX_VALUE_CHARS = 2000;
const MAX_LIST = 100;

/** The simple fields of a document: texts, numbers, yes or no, and lists of texts. Others are left out. */
export function metadataOf(fields: Readonly<Record<string, unknown>>): Record<string, MetadataValue> {
  const metadata: [string, MetadataValue][] = [];
  for (const [key, value] of Object.entries(fields)) {
    const simple = simpleValue(value);
    if (simple === undefined || metadata.length === MAX_FIELDS) continue;
    metadata.push([key.slice(0, MAX_VALUE_CHARS), simple]);
  }
  return Object.fromEntries(metadata);
}

function simpleValue(value: unknown): MetadataValue | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim().slice(0, MAX_VALUE_CHARS);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === 'string' || typeof item === 'number').slice(0, MAX_LIST);
  return texts.map((item) => String(item).slice(0, MAX_VALUE_CHARS));
}
