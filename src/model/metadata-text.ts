function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Flattens metadata to searchable text as the registry's documents describe it: each top-level key, then its scalar,
 * its list items, or the values one level below it (nested keys are left out). Anything but an object gives ''.
 */
export function flattenMetadata(value: unknown): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return '';
  const words: string[] = [];
  for (const [key, entry] of Object.entries(value)) {
    words.push(key);
    if (Array.isArray(entry)) words.push(...entry.map(toText));
    else if (entry !== null && typeof entry === 'object') words.push(...Object.values(entry).map(toText));
    else words.push(toText(entry));
  }
  return words.filter((word) => word !== '').join(' ');
}
