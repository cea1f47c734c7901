import type { LegWeights } from '../ranking/fusion/blend.ts';

/** The rules of ADR-003, unchanged, for the presets of its options. */

/** Option A: 70 % vector, 30 % keyword. */
export const LINEAR_WEIGHTS: LegWeights = { keyword: 0.3, vector: 0.7 };

/** Option C: the factor for each anchor that a result holds. */
export const ANCHOR_FACTOR = 1.5;

const IDENTIFIER_PATTERN = /^[a-z]\d+$|^\d+[a-z]+$/i;
const IGNORED_WORDS: ReadonlySet<string> = new Set(['tell', 'me', 'about', 'what', 'is', 'the', 'how']);

/** Option B: the weights depend on the share of identifiers among the words that are not ignored. */
export function weightsBySpecificity(query: string): LegWeights {
  const tokens = query.toLowerCase().split(/\s+/u);
  const identifiers = tokens.filter((token) => IDENTIFIER_PATTERN.test(token)).length;
  const counted = tokens.filter((token) => !IGNORED_WORDS.has(token)).length;
  const specificity = identifiers / Math.max(1, counted);
  if (specificity > 0.5) return { keyword: 0.7, vector: 0.3 };
  if (specificity > 0.2) return { keyword: 0.5, vector: 0.5 };
  return { keyword: 0.3, vector: 0.7 };
}

/** Phase 2: a query that is one identifier is searched by keyword only, without a model. */
export function isPureIdentifier(query: string): boolean {
  return /^[A-Z]\d+$/.test(query.trim());
}
