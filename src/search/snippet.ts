const SNIPPET_CHARS = 240;

/** The part of a text around the first match of one of the words; the beginning of the text if there is no match. */
export function snippet(text: string, words: readonly string[], maxLength = SNIPPET_CHARS): string {
  // Most texts need no change, and testing is faster than replacing.
  const flat = /^ | (?: |$)|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
  if (flat.length <= maxLength) return flat;
  const lower = flat.toLowerCase();
  let first = -1;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  let start = first < 0 ? 0 : Math.max(0, Math.min(first - Math.floor(maxLength / 3), flat.length - maxLength));
  if (start > 0) {
    const space = flat.indexOf(' ', start);
    if (space >= 0 && space < start + 20) start = space + 1;
  }
  let end = Math.min(flat.length, start + maxLength);
  if (end < flat.length) {
    const space = flat.lastIndexOf(' ', end);
    if (space > start + maxLength / 2) end = space;
  }
  return `${start > 0 ? '… ' : ''}${flat.slice(start, end)}${end < flat.length ? ' …' : ''}`;
}
