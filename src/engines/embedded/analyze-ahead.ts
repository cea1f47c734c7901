import { type AnalyzedUnit, analyzeUnit } from '../../search/text/analyzed-unit.ts';
import { yieldToSearches } from '../../turns/search-turns.ts';
import type { IndexedEntity, IndexedUnit } from '../store.ts';

/** About a millisecond of work. A smaller batch is analyzed by the write itself. */
const STEP_CHARS = 5_000;

/** A unit as the index takes it, and as the record stores it. */
export interface AnalyzedText {
  readonly unit: AnalyzedUnit;
  /** Its fields as JSON. */
  readonly text: string;
}

export type AnalyzedAhead = ReadonlyMap<IndexedUnit, AnalyzedText>;
const NOTHING: AnalyzedAhead = new Map();

/**
 * Analyzes the texts of a large batch in small steps, before it is written: analyzing takes most of the time of a write, and
 * other requests can run between the steps. A small batch is left to the write itself. `isUnchanged` says which units need
 * no analysis.
 */
export async function analyzeAhead(
  batch: readonly IndexedEntity[],
  isUnchanged: (unit: IndexedUnit) => boolean,
): Promise<AnalyzedAhead> {
  if (!isLarge(batch)) return NOTHING;
  const analyzed = new Map<IndexedUnit, AnalyzedText>();
  let chars = 0;
  for (const { units } of batch) {
    for (const unit of units) {
      chars += charsOf(unit);
      if (!isUnchanged(unit)) analyzed.set(unit, analyzeText(unit));
      if (chars < STEP_CHARS) continue;
      chars = 0;
      await yieldToSearches();
    }
  }
  // The write is a step of its own.
  if (chars > 0) await yieldToSearches();
  return analyzed;
}

export function analyzeText({ fields }: IndexedUnit): AnalyzedText {
  return { unit: analyzeUnit(fields), text: JSON.stringify(fields) };
}

function isLarge(batch: readonly IndexedEntity[]): boolean {
  let chars = 0;
  for (const { units } of batch) {
    for (const unit of units) {
      chars += charsOf(unit);
      if (chars > STEP_CHARS) return true;
    }
  }
  return false;
}

export function charsOf({ fields }: IndexedUnit): number {
  let chars = 0;
  for (const text of Object.values(fields)) chars += text.length;
  return chars;
}
