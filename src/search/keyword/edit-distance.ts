/**
 * Typing mistakes between two words: letters left out, added, changed, or two neighbours swapped (the restricted form
 * of Damerau and Levenshtein's distance). Gives `limit + 1` for anything beyond `limit`, which it finds out early.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const tooFar = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return tooFar;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min(last[j]! + 1, now[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const isSwap =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwap) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      now.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return tooFar;
    beforeLast = last;
    last = now;
  }
  return Math.min(last[b.length]!, tooFar);
}
