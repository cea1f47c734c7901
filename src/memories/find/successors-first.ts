/** Anything that may have been superseded, by its hash. */
interface Superseded {
  readonly content_hash: string;
  readonly superseded: { readonly by: string } | null;
}

/**
 * The same list, with each memory behind its successors. `read` gives the memories of a chain that are not in the list; null
 * where there is none.
 */
export async function successorsFirst<M extends Superseded>(
  list: readonly M[],
  read: (hash: string) => Promise<Superseded | null>,
): Promise<readonly M[]> {
  const byHash = new Map(list.map((memory) => [memory.content_hash, memory]));
  const ordered = new Set<M>();
  for (const memory of list) {
    const chain = [memory];
    const seen = new Set([memory.content_hash]);
    for (let next = memory.superseded?.by; next !== undefined && !seen.has(next); ) {
      seen.add(next);
      const found = byHash.get(next);
      if (found !== undefined) chain.push(found);
      next = (found ?? (await read(next)))?.superseded?.by;
    }
    for (const one of chain.toReversed()) ordered.add(one);
  }
  return [...ordered];
}
