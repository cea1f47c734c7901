function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Flattens metadata to searchable text, as the docs of the MCP gateway registry describe it: each top-level key, then its
 * scalar, its list items, or the values one level below. Nested keys are skipped. Empty for anything but an object.
 */
export function flattenMetadata(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return '';
  const words: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    words.push(key);
    if (Array.isArray(entry)) for (const item of entry) words.push(toText(item));
    else if (entry !== null && typeof entry === 'object')
      for (const item of Object.values(entry)) words.push(toText(item));
    else words.push(toText(entry));
  }
  return words.filter((word) => word !== '').join(' ');
}

const MAX_TELLING_VALUE = 200;

function isTelling(value: unknown, nested: boolean): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object' && isTelling(item, false));
  if (value === null) return false;
  if (typeof value === 'object') return nested && Object.values(value).every((item) => isTelling(item, false));
  const text = String(value);
  return text.length <= MAX_TELLING_VALUE && !/^[a-z]+:\/\/|^[{[<]/i.test(text.trim());
}

/**
 * The metadata to embed: short words and lists of them. Addresses, nested objects and long or encoded values would only
 * dilute the vector. `nested` takes objects of such values too. `representativeQueries` has the sample queries.
 */
export function tellingMetadata(
  metadata: Readonly<Record<string, unknown>>,
  depth: 'flat' | 'nested' = 'flat',
): string {
  const isShort = (value: unknown) => isTelling(value, depth === 'nested');
  const telling = Object.entries(metadata).filter(([key, value]) => isShort(value) && !isQueries(key));
  return flattenMetadata(Object.fromEntries(telling));
}

const isQueries = (key: string) => key === 'representative_queries' || key === 'representativeQueries';

/** Sample queries of the publisher, under ARD's name in either spelling. */
export function representativeQueries(metadata: Readonly<Record<string, unknown>>): readonly string[] {
  const listed = metadata.representative_queries ?? metadata.representativeQueries;
  return Array.isArray(listed) ? listed.filter((query) => typeof query === 'string' && query.trim() !== '') : [];
}
