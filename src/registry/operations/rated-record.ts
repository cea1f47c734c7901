import type { StoredEntity } from '../../engines/store.ts';
import type { RatedRecord } from '../answers.ts';
import { healthOfNote, type LivenessState } from '../provenance/liveness.ts';
import { ANNOTATIONS } from '../provenance/source-note.ts';
import { ratingOf } from './ratings.ts';
import { toRecord } from './scan-records.ts';

interface LivenessNote {
  readonly state: LivenessState;
  readonly checked_at: string;
  readonly error?: string;
}

/** A stored entity with its ratings and its health, which are annotations. */
export function toRatedRecord(
  stored: StoredEntity,
  annotations: Readonly<Record<string, unknown>> | undefined,
): RatedRecord {
  const liveness = annotations?.[ANNOTATIONS.liveness] as LivenessNote | undefined;
  const refusal = annotations?.[ANNOTATIONS.refusal] as string | undefined;
  return {
    ...toRecord(stored),
    ...ratingOf(annotations),
    health_status: healthOfNote(liveness?.state),
    health_error: (liveness === undefined ? refusal : liveness.error) ?? null,
    last_checked_at: liveness?.checked_at ?? null,
  };
}
