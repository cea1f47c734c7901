/** Terms in a slice: about 5 milliseconds to sort, and fewer to merge. */
const SLICE_TERMS = 10_000;

/** A sorted copy, by code units. */
export function* sortInSlices(terms: readonly string[]): Generator<void, readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let from = 0; from < terms.length; from += SLICE_TERMS) {
    runs.push(terms.slice(from, from + SLICE_TERMS).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergeInSlices(runs[at]!, runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** All terms of two sorted lists, each once. */
export function* mergeInSlices(a: readonly string[], b: readonly string[]): Generator<void, readonly string[]> {
  const merged: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (j === b.length || (i < a.length && a[i]! < b[j]!)) merged.push(a[i++]!);
    else {
      if (a[i] === b[j]) i++;
      merged.push(b[j++]!);
    }
    if (merged.length % SLICE_TERMS === 0) yield;
  }
  return merged;
}
