/** Cormack, Clarke and Buettcher 2009. */
const K = 60;

/** Reciprocal rank fusion for peers that bring none: ids, best first. */
export function rrf(lists: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (K + at + 1));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id);
}
