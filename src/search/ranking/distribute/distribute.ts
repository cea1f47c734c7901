/** The maximum share of one type, while there are results of other types. From the registry's documents. */
export const SOFT_CAP = 0.6;

export interface DistributeOptions {
  readonly maxResults: number;
  /** From 0 to 1. Default 0.6. 1 means no cap. */
  readonly softCap?: number;
  /**
   * The types that keep their order. In the registry's documents no type does: when nothing of another type is left, the cap
   * ends, and what comes then is picked before what was skipped, although that is better.
   */
  readonly inOrder?: (type: string) => boolean;
}

export function softCapOf(maxResults: number, softCap = SOFT_CAP): number {
  return Math.max(1, Math.ceil(softCap * maxResults));
}

/**
 * Picks up to `maxResults` candidates, best first, so that one type does not crowd out the others. Skips a type at its cap
 * while there are candidates of other types below. Skipped candidates fill the remaining places at the end, so the result
 * may not be in score order.
 */
export function distribute<T extends { readonly type: string }>(
  candidates: readonly T[],
  options: DistributeOptions,
): T[] {
  const { maxResults, inOrder = NO_TYPE } = options;
  if (maxResults <= 0) return [];
  const cap = softCapOf(maxResults, options.softCap);
  const othersEnd = endOfOthers(candidates);
  const lastType = candidates.at(-1)?.type;
  const hasOthersBelow = (at: number, type: string) => at + 1 < (type === lastType ? othersEnd : candidates.length);
  const isHeldBack = (type: string) => inOrder(type) && passedOver.some((candidate) => candidate.type === type);
  const picked: T[] = [];
  const passedOver: T[] = [];
  const taken = new Map<string, number>();
  for (let at = 0; at < candidates.length && picked.length < maxResults; at++) {
    const candidate = candidates[at]!;
    const { type } = candidate;
    const count = taken.get(type) ?? 0;
    if (count >= cap && (hasOthersBelow(at, type) || isHeldBack(type))) {
      passedOver.push(candidate);
    } else {
      taken.set(type, count + 1);
      picked.push(candidate);
    }
  }
  for (let at = 0; picked.length < maxResults && at < passedOver.length; at++) picked.push(passedOver[at]!);
  return picked;
}

/** Where the last candidates begin that are all of one type. */
function endOfOthers(candidates: readonly { readonly type: string }[]): number {
  const last = candidates.at(-1)?.type;
  let end = candidates.length;
  while (end > 0 && candidates[end - 1]!.type === last) end--;
  return end;
}

const NO_TYPE = () => false;
