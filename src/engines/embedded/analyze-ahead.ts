import { setImmediate } from 'node:timers/promises';
import { type AnalyzedUnit, analyzeUnit } from '../../search/text/analyzed-unit.ts';
import type { IndexedEntity, IndexedUnit } from '../store.ts';

/** Some ten milliseconds of work. */
const STEP_CHARS = 20_000;

export type AnalyzedAhead = ReadonlyMap<IndexedUnit, AnalyzedUnit>;
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
  const analyzed = new Map<IndexedUnit, AnalyzedUnit>();
  let chars = 0;
  for (const { units } of batch) {
    for (const unit of units) {
      chars += charsOf(unit);
      if (!isUnchanged(unit)) analyzed.set(unit, analyzeUnit(unit.fields));
      if (chars < STEP_CHARS) continue;
      chars = 0;
      await setImmediate();
    }
  }
  return analyzed;
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

function charsOf({ fields }: IndexedUnit): number {
  let chars = 0;
  for (const text of Object.values(fields)) chars += text.length;
  return chars;
}
