import type { AnalysedUnit } from '../search/text/analyzed-unit.ts';
import type { IndexedUnit } from './engine.ts';

/** A unit as the reference engine holds it. */
export interface HeldUnit {
  readonly unit: IndexedUnit;
  readonly analysed: AnalysedUnit;
  /** By embedder. */
  readonly vectors: Map<string, Float32Array>;
}

export interface HeldEntity {
  readonly json: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly units: readonly HeldUnit[];
}
