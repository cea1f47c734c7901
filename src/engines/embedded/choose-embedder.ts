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
function mostVectors(record: RecordStore, [first, ...others]: readonly [string, ...string[]]): string {
  let best = { id: first, count: record.vectorCount(first) };
  for (const id of others) {
    const count = record.vectorCount(id);
    if (count > best.count) best = { id, count };
  }
  return best.id;
}

/** An id ends in the number of dimensions. */
function toIdentity(id: string): EmbedderIdentity | null {
  const dimensions = Number(/\/(\d+)$/.exec(id)?.[1] ?? 0);
  return dimensions > 0 ? { id, dimensions } : null;
}
