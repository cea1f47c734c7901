const SNIPPET_CHARS = 240;

/** The part of a text around the first of the words that occurs in it; its beginning where none does. */
export function snippet(text: string, words: readonly string[], max = SNIPPET_CHARS): string {
  // Most texts are short and tidy; only the others are worth rewriting.
  const flat = /[^\S ]| {2}|^ | $/.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
  if (flat.length <= max) return flat;
  const lower = flat.toLowerCase();
  let first = -1;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  let start = first < 0 ? 0 : Math.max(0, Math.min(first - Math.floor(max / 3), flat.length - max));
  if (start > 0) {
    const blank = flat.indexOf(' ', start);
    if (blank >= 0 && blank < start + 20) start = blank + 1;
  }
  let end = Math.min(flat.length, start + max);
  if (end < flat.length) {
    const blank = flat.lastIndexOf(' ', end);
    if (blank > start + max / 2) end = blank;
  }
  return `${start > 0 ? '… ' : ''}${flat.slice(start, end)}${end < flat.length ? ' …' : ''}`;
}
