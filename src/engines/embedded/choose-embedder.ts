import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import type { RecordStore } from './record/record-store.ts';

/**
 * Whose vectors to search in a store that is opened for `wanted`: those it serves, as long as it has any. Where it has
 * none of those, or does not say (older stores), it is whose it has most of, the wanted one before others.
 */
export function servedEmbedder(record: RecordStore, wanted: EmbedderIdentity | null): EmbedderIdentity | null {
  if (wanted === null) return null;
  const { served } = record;
  const isServed = served !== null && record.vectorCount(served) > 0;
  const best = isServed ? served : mostVectors(record, [wanted.id, ...record.embedders]);
  const serving = best === wanted.id ? wanted : (toIdentity(best) ?? wanted);
  record.serve(serving);
  return serving;
}

/** The first of those that have most. */
function mostVectors(record: RecordStore, ids: readonly string[]): string {
  const counted = ids.map((id) => ({ id, count: record.vectorCount(id) }));
  return counted.reduce((best, other) => (other.count > best.count ? other : best)).id;
}

/** An id ends in the number of dimensions. */
function toIdentity(id: string): EmbedderIdentity | null {
  const dimensions = Number(/\/(\d+)$/.exec(id)?.[1] ?? 0);
  return dimensions > 0 ? { id, dimensions } : null;
}
