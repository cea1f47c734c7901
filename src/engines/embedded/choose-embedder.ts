import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { RecordStore } from './record/record-store.ts';

/**
 * The embedder whose vectors are searched in a store that is opened for `wanted`: the one it serves, if it has any vectors
 * of it. Otherwise, and in older stores that name none, the one with the most vectors, `wanted` first if equal.
 */
export function servedEmbedder(record: RecordStore, wanted: EmbedderIdentity): EmbedderIdentity {
  const { served } = record;
  const isServed = served !== null && record.vectorCount(served) > 0;
  const best = isServed ? served : mostVectors(record, [wanted.id, ...record.embedders]);
  return best === wanted.id ? wanted : (toIdentity(best) ?? wanted);
}

/** The embedder with the most vectors; the first one if two are equal. */
function mostVectors(record: RecordStore, ids: readonly string[]): string {
  const counted = ids.map((id) => ({ id, count: record.vectorCount(id) }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).id;
}

/** An id ends in the number of dimensions. */
export function toIdentity(id: string): EmbedderIdentity | null {
  const dimensions = Number(/\/(\d+)$/.exec(id)?.[1] ?? 0);
  return dimensions > 0 ? { id, dimensions } : null;
}
