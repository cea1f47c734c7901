import { type Explanation, leaf, scaled } from '../../../model/answer/explanation.ts';
import { CARD_SHARE, type ScoredUnit } from '../candidates/candidate.ts';

/** A fusion method: the score of a unit, null for none, and the explanation parts that add up to it. */
export interface Fusion {
  score(unit: ScoredUnit): number | null;
  parts(unit: ScoredUnit): readonly Explanation[];
}

type Detail = Readonly<Record<string, number | string>>;

/** The explanation of one leg. The explanation of the keyword score is scaled and added as a part. */
export function legPart(leg: 'keyword' | 'vector', value: number, unit: ScoredUnit, detail: Detail): Explanation {
  const { found } = unit;
  const rank = leg === 'keyword' ? unit.keywordRank : unit.vectorRank;
  const score = unit[leg]!;
  // A tool may have the name of its server, so the title alone is ambiguous.
  const node = leaf(leg, value, {
    ...(rank === null ? {} : { rank }),
    ...detail,
    score,
    unit: found.title,
    unit_kind: found.kind,
  });
  const reasons = leg === 'keyword' ? found.explainKeyword() : undefined;
  if (reasons === undefined || reasons.value === 0 || score === 0) return node;
  if (score === found.keyword) return { ...node, parts: [scaled(reasons, value / reasons.value)] };
  const own = scaled(reasons, ((value / score) * found.keyword! * (1 - CARD_SHARE)) / reasons.value);
  return { ...node, parts: [own, leaf('card', value - own.value)] };
}
