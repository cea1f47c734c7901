/** A share as a person reads it: never 100% of what is not all, nor 0% of what is something. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share > 0) return '<1%';
  if (rounded === 100 && share < 1) return '>99%';
  return `${rounded}%`;
}

/** A share that someone gave, to the digit: 0.999 -> `99.9%`. */
export function exactPercent(share: number): string {
  // 0.07 * 100 is 7.000000000000001; no one types so many digits.
  return `${Number((share * 100).toPrecision(12))}%`;
}
