/** A filter that drops items equal to an earlier one, compared as JSON. */
export function isFirst(): (item: unknown) => boolean {
  const seen = new Set<string>();
  return (item) => {
    const { size } = seen;
    return seen.add(JSON.stringify(item)).size > size;
  };
}
