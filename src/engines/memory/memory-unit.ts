import type { AnalyzedUnit } from '../../search/text/analyzed-unit.ts';
import type { IndexedUnit } from '../store.ts';

/** A unit as the reference engine holds it. */
export interface MemoryUnit {
  readonly unit: IndexedUnit;
  readonly analyzed: AnalyzedUnit;
  /** By embedder. */
  readonly vectors: Map<string, Float32Array>;
}

export interface MemoryEntity {
  readonly json: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly units: readonly MemoryUnit[];
}
