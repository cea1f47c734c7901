/** A rounded share. Only 1 is `100%`, and only 0 is `0%`. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share > 0) return '<1%';
  if (rounded === 100 && share < 1) return '>99%';
  return `${rounded}%`;
}

/** A share with all its digits: 0.999 -> `99.9%`. */
export function exactPercent(share: number): string {
  // 0.07 * 100 is 7.000000000000001.
  return `${Number((share * 100).toPrecision(12))}%`;
}
