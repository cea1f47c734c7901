import { canonicalJson } from './drift.ts';
import type { SourceKey } from './observation.ts';

/** What Dowser notes of an entity besides what it is. */
export const ANNOTATIONS = {
  source: 'source',
  definitions: 'definitions',
  drift: 'drift',
  liveness: 'liveness',
  reading: 'reading',
} as const;

/** Where an entity came from: the annotation `source`. */
export interface SourceNote extends SourceKey {
  readonly part: string;
  readonly updated_at?: string;
}

/** Two readings are of one source when they are of one kind at one place. */
export const sourceKeyOf = ({ kind, locator }: SourceKey): string => canonicalJson({ kind, locator });
