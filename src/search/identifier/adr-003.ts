import type { LegWeights } from '../ranking/fusion/blend.ts';

/** The rules of ADR-003 to the letter, for the presets that are named after its options. */

/** Option A: 70 % meaning, 30 % keyword. */
export const LINEAR_WEIGHTS: LegWeights = { keyword: 0.3, vector: 0.7 };

/** Option C: what a result that holds an anchor is multiplied by, for each anchor. */
export const ANCHOR_FACTOR = 1.5;

const IDENTIFIER = /^[a-z]\d+$|^\d+[a-z]+$/i;
const ASKING: ReadonlySet<string> = new Set(['tell', 'me', 'about', 'what', 'is', 'the', 'how']);

/** Option B: the share of identifiers among the words that mean something decides the weights. */
export function weightsBySpecificity(query: string): LegWeights {
  const tokens = query.toLowerCase().split(/\s+/u);
  const identifiers = tokens.filter((token) => IDENTIFIER.test(token)).length;
  const meaningful = tokens.filter((token) => !ASKING.has(token)).length;
  const specificity = identifiers / Math.max(1, meaningful);
  if (specificity > 0.5) return { keyword: 0.7, vector: 0.3 };
  if (specificity > 0.2) return { keyword: 0.5, vector: 0.5 };
  return { keyword: 0.3, vector: 0.7 };
}

/** Phase 2: one identifier and nothing else is looked up by keyword, without the model. */
export function isPureIdentifier(query: string): boolean {
  return /^[A-Z]\d+$/.test(query.trim());
}
