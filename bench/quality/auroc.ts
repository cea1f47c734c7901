/**
 * The chance that a value of the first list is above one of the second; equal values count half. 1: they are told apart
 * perfectly, 0.5: not at all. By ranks (Mann and Whitney 1947), with the mean rank for ties.
 */
export function auroc(positives: readonly number[], negatives: readonly number[]): number {
  if (positives.length === 0 || negatives.length === 0) return Number.NaN;
  const all = [
    ...positives.map((value) => ({ value, isPositive: true })),
    ...negatives.map((value) => ({ value, isPositive: false })),
  ].sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]!.value === all[from]!.value) to++;
    const meanRank = (from + 1 + to) / 2;
    for (let i = from; i < to; i++) if (all[i]!.isPositive) ranks += meanRank;
    from = to;
  }
  const n = positives.length;
  return (ranks - (n * (n + 1)) / 2) / (n * negatives.length);
}
