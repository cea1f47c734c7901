/** Whole memories only, in order, and at least one. */
export function fitChars<M extends { readonly content: string }>(
  memories: readonly M[],
  maxChars: number | undefined,
): { readonly shown: M[]; readonly omitted: number } {
  if (maxChars === undefined) return { shown: [...memories], omitted: 0 };
  let chars = 0;
  let count = 0;
  for (const { content } of memories) {
    chars += content.length;
    if (chars > maxChars && count > 0) break;
    count += 1;
  }
  return { shown: memories.slice(0, count), omitted: memories.length - count };
}
