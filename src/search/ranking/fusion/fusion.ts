import { type Explanation, leaf, scaled } from '../../../model/explanation.ts';
import { CARD_SHARE, type LegHit } from '../candidate.ts';

/** An entity with what each leg says of it, before there is one score. */
export interface Pair {
  readonly key: string;
  readonly keyword: LegHit | undefined;
  readonly vector: LegHit | undefined;
}

/** One way to join the legs: the score of a pair, null for none, and the parts that add up to it. */
export interface Fusion {
  score(pair: Pair): number | null;
  parts(pair: Pair): readonly Explanation[];
}

/** A leg's contribution with the leg's own reasons below it, each as its share of the contribution. */
export function legPart(leg: string, value: number, found: LegHit, detail: Record<string, number>): Explanation {
  const { hit, rank, score, unitScore, detail: reasons } = found;
  // A tool may be called like its server: its title alone would not tell it from the card.
  const unit = { unit: hit.title, unit_kind: hit.kind };
  const node = leaf(leg, value, { ...(rank === null ? {} : { rank }), ...detail, score, ...unit });
  if (reasons === undefined || reasons.value === 0 || score === 0) return node;
  if (score === unitScore) return { ...node, parts: [scaled(reasons, value / reasons.value)] };
  const own = scaled(reasons, ((value / score) * unitScore * (1 - CARD_SHARE)) / reasons.value);
  return { ...node, parts: [own, leaf('card', value - own.value)] };
}
