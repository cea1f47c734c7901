import { createHash } from 'node:crypto';
import type { EntityFacts } from '../../model/query/filter.ts';
import type { UnitRow } from '../embedded/index/unit-table.ts';
import { toStoredText } from '../stored-text.ts';

/** The namespace of Dowser's unit ids (RFC 9562). */
const NAMESPACE = Buffer.from('1b0c8f5e6a3d4c52b1f7d90e4a27c6e3', 'hex');

/** What Qdrant knows of a unit besides its vector. Everything but `digest` is indexed, for filters. */
export interface Payload {
  readonly unit: string;
  /** `type/kind`. One key for both: a filter of two clauses finds far less with HNSW. */
  readonly what: string;
  readonly live: boolean;
  readonly status: string;
  readonly tags: readonly string[];
  readonly readers: readonly string[];
  /** Differs where the text or anything above differs. Not 0. */
  readonly digest: number;
}

export const INDEXED_FIELDS = {
  unit: 'keyword',
  what: 'keyword',
  live: 'bool',
  status: 'keyword',
  tags: 'keyword',
  readers: 'keyword',
} as const satisfies Record<Exclude<keyof Payload, 'digest'>, 'keyword' | 'bool'>;

/** UUIDv5 of the unit id. */
export function pointId(unit: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(toStoredText(unit)).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function payloadOf({ id, type, kind, textHash }: UnitRow, facts: EntityFacts): Payload {
  const shown = {
    unit: toStoredText(id),
    what: `${type}/${kind}`,
    live: facts.enabled,
    status: facts.status,
    tags: facts.tags.map(toStoredText),
    readers: facts.readers.map(toStoredText),
  };
  return { ...shown, digest: digestOf(JSON.stringify([textHash, shown])) };
}

function digestOf(text: string): number {
  return createHash('sha1').update(text).digest().readUInt32LE(0) || 1;
}
