import type { StoredEntity } from '../../engines/store.ts';
import type { RatedRecord } from '../contract/answers.ts';
import { healthOfNote, type LivenessState } from '../notes/liveness.ts';
import { ANNOTATIONS } from '../notes/source-note.ts';
import { toRecord } from '../view/scan-records.ts';
import { ratingOf } from './ratings.ts';

interface LivenessNote {
  readonly state: LivenessState;
  readonly checked_at: string;
  readonly error?: string;
}

type Annotations = Readonly<Record<string, unknown>> | undefined;

/** The last record of each stored entity. Neither it nor its annotations are ever changed in place. */
const made = new WeakMap<StoredEntity, { readonly annotations: Annotations; readonly record: RatedRecord }>();

/**
 * A stored entity with its ratings and its health, which are annotations. The same object while nothing changes, so that
 * answers made from it can be remembered.
 */
export function toRatedRecord(stored: StoredEntity, annotations: Annotations): RatedRecord {
  const last = made.get(stored);
  if (last !== undefined && last.annotations === annotations) return last.record;
  const record = newRecord(stored, annotations);
  made.set(stored, { annotations, record });
  return record;
}

function newRecord(stored: StoredEntity, annotations: Annotations): RatedRecord {
  const liveness = annotations?.[ANNOTATIONS.liveness] as LivenessNote | undefined;
  const refusal = annotations?.[ANNOTATIONS.refusal] as string | undefined;
  return Object.freeze({
    ...toRecord(stored),
    ...ratingOf(annotations),
    health_status: healthOfNote(liveness?.state),
    health_error: (liveness === undefined ? refusal : liveness.error) ?? null,
    last_checked_at: liveness?.checked_at ?? null,
  });
}
