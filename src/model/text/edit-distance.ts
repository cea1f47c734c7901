/** Longer words are keys and hashes, and are not compared. Distances must fit a byte. */
const LONGEST = 200;

let beforeLast = new Uint8Array(LONGEST + 2);
let last = new Uint8Array(LONGEST + 2);
let now = new Uint8Array(LONGEST + 2);

/**
 * The restricted Damerau-Levenshtein distance: letters missing, added, changed, or two neighbors swapped. Returns `limit + 1`
 * for anything beyond `limit`. It is fast: it computes only the diagonal band within the limit.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1;
  if (Math.abs(a.length - b.length) > limit || a.length > LONGEST || b.length > LONGEST) return tooFar;
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, tooFar);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    now[from - 1] = from === 1 ? Math.min(i, tooFar) : tooFar;
    let best = now[from - 1]!;
    const letter = a.charCodeAt(i - 1);
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1);
      let cost = Math.min(last[j]! + 1, now[j - 1]! + 1, last[j - 1]! + (letter === other ? 0 : 1), tooFar);
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other)
        cost = Math.min(cost, beforeLast[j - 2]! + 1);
      now[j] = cost;
      if (cost < best) best = cost;
    }
    now[to + 1] = tooFar;
    if (best > limit) return tooFar;
    const free = beforeLast;
    beforeLast = last;
    last = now;
    now = free;
  }
  return Math.min(last[b.length]!, tooFar);
}
