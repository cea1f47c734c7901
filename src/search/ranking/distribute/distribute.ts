/** The share of the results that one type may take while other types wait: from the registry's documents. */
export const SOFT_CAP = 0.6;

export interface DistributeOptions {
  readonly maxResults: number;
  /** Default 0.6. With 1 no type is ever held back. */
  readonly softCap?: number;
}

export function softCapOf(maxResults: number, softCap = SOFT_CAP): number {
  return Math.max(1, Math.ceil(softCap * maxResults));
}

/** How many tools are lifted out of the servers that were found: from the registry's documents. */
export function toolLimit(maxResults: number): number {
  return Math.max(3, Math.ceil(SOFT_CAP * maxResults));
}

/**
 * Picks up to `maxResults` candidates, best first, so that one type does not crowd out the others: a type at its cap is
 * passed over while another type still stands further down. What was passed over then fills the slots that are left,
 * behind the picks, so the output need not be in score order.
 */
export function distribute<T extends { readonly type: string }>(
  candidates: readonly T[],
  options: DistributeOptions,
): T[] {
  const { maxResults } = options;
  if (maxResults <= 0) return [];
  const cap = softCapOf(maxResults, options.softCap);
  const waiting = new Map<string, number>();
  for (const { type } of candidates) waiting.set(type, (waiting.get(type) ?? 0) + 1);

  const picked: T[] = [];
  const passedOver: T[] = [];
  const taken = new Map<string, number>();
  let remaining = candidates.length;
  for (const candidate of candidates) {
    if (picked.length === maxResults) break;
    const { type } = candidate;
    const sameTypeBelow = waiting.get(type)! - 1;
    remaining -= 1;
    waiting.set(type, sameTypeBelow);
    const count = taken.get(type) ?? 0;
    if (count >= cap && remaining > sameTypeBelow) {
      passedOver.push(candidate);
    } else {
      taken.set(type, count + 1);
      picked.push(candidate);
    }
  }
  for (let at = 0; picked.length < maxResults && at < passedOver.length; at++) picked.push(passedOver[at]!);
  return picked;
}
